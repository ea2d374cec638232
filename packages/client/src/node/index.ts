export { fastifyReceiver } from "./fastify-receiver.ts";
export type { FastifyScope } from "./fastify-receiver.ts";
export { nodeReceiver, nodeReceiver as expressReceiver } from "./node-receiver.ts";
export type { NodeListener } from "./node-receiver.ts";
export type { NodeRequest } from "./node-request.ts";
export * from "../webhook/index.ts";
