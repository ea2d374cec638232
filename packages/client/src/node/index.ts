export { fastifyReceiver } from "./fastify-receiver.ts";
export type { FastifyScope } from "./fastify-receiver.ts";
export { expressReceiver, nodeReceiver } from "./node-receiver.ts";
export type { NodeListener, NodeRequest } from "./node-receiver.ts";
export { Reject, RetryLater, VerificationError } from "../webhook/index.ts";
export type { Handler, ReceiveOptions, Webhook } from "../webhook/index.ts";
