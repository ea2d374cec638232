import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { answerTo } from "../webhook/answer.ts";
import type { Handler, ReceiveOptions } from "../webhook/answer.ts";
import { streamBytes } from "./node-request.ts";

/** As much of a Fastify request as this plugin needs. */
interface FastifyRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** As much of a Fastify reply as this plugin needs. */
interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Record<string, string>): FastifyReply;
  send(text?: string): FastifyReply;
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
 * await app.register(fastifyReceiver({ secret }, async ({ payload }) => keep(payload)), { prefix: "/hook" });
 */
export function fastifyReceiver(
  options: ReceiveOptions,
  handler: Handler,
): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", leaveUnread as never);
    scope.post("/", (async ({ method, headers, body }: FastifyRequest, reply: FastifyReply) => {
      const readBody = async (maxBytes: number): Promise<Uint8Array<ArrayBuffer>> =>
        body instanceof Readable ? streamBytes(body, maxBytes) : new Uint8Array();
      const answer = await answerTo({ method, headers, readBody }, options, handler);
      reply.code(answer.status).headers({ ...answer.headers });
      // A sender whose body is refused unread could go on sending it for as long as the connection is open.
      if (body instanceof Readable && !body.readableEnded) reply.headers({ connection: "close" });
      return reply.send(answer.text ?? undefined);
    }) as never);
  };
}

async function leaveUnread(_request: unknown, payload: Readable): Promise<Readable> {
  return payload;
}
