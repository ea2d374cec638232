import { receive } from "../webhook/index.ts";
import type { Handler, ReceiveOptions } from "../webhook/index.ts";
import { answerOf } from "./node-request.ts";
import type { NodeRequest } from "./node-request.ts";

/** As much of a Fastify request as this plugin needs. */
interface FastifyRequest {
  readonly raw: NodeRequest;
}

/** As much of a Fastify reply as this plugin needs. */
interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Record<string, string>): FastifyReply;
  send(text: string): FastifyReply;
}

/**
 * As much of a Fastify instance as this plugin needs, so that these types need no Fastify. `never` stands for
 * functions whose types only Fastify knows.
 */
export interface FastifyScope {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(contentType: string, parser: never): unknown;
  post(path: string, handler: never): unknown;
}

/**
 * A Fastify plugin that receives deliveries at its prefix. Inside it no parser reads a body; the rest of the
 * application keeps its parsers. What the handler does decides the answer, as with `receive`.
 *
 * @example
 * ```ts
 * import fastify from "fastify";
 * import { fastifyReceiver } from "@postdate/client/node";
 *
 * const app = fastify();
 * const receiver = fastifyReceiver({ secret: process.env.POSTDATE_WEBHOOK_SECRET }, async ({ payload }) => {
 *   console.log(payload);
 * });
 * await app.register(receiver, { prefix: "/hook" });
 * ```
 */
export function fastifyReceiver(
  options: ReceiveOptions,
  handler: Handler,
): (scope: FastifyScope) => Promise<void> {
  const route = receive(options, handler);
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    // It leaves the body where it is.
    scope.addContentTypeParser("*", (async () => {}) as never);
    scope.post("/", (async ({ raw }: FastifyRequest, reply: FastifyReply) => {
      const { status, headers, text } = await answerOf(route, raw);
      return reply.code(status).headers(headers).send(text);
    }) as never);
  };
}
