export { fastifyReceiver } from "./fastify-receiver.ts";
export type { FastifyScope } from "./fastify-receiver.ts";
export { expressReceiver, nodeReceiver } from "./node-receiver.ts";
export type { NodeListener } from "./node-receiver.ts";
export type { NodeRequest } from "./node-request.ts";
export type { Handler, ReceiveOptions } from "../webhook/answer.ts";
export { Reject, RetryLater } from "../webhook/receipts.ts";
export { VerificationError } from "../webhook/verification-error.ts";
export type { Webhook } from "../webhook/webhook.ts";
