export { fastifyReceiver } from "./fastify-receiver.ts";
export type { FastifyScope } from "./fastify-receiver.ts";
export { nodeReceiver, nodeReceiver as expressReceiver } from "./node-receiver.ts";
export type { NodeListener, NodeRequest } from "./node-receiver.ts";
export * from "../webhook/index.ts";
