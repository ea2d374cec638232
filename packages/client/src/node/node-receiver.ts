import type { ServerResponse } from "node:http";
import { answerTo } from "../webhook/answer.ts";
import type { Answer, Handler, ReceiveOptions } from "../webhook/answer.ts";
import { nodeBytes } from "./node-request.ts";
import type { NodeRequest } from "./node-request.ts";

/** A listener for `createServer`, and a handler for whatever else passes on requests of `node:http`. */
export type NodeListener = (request: NodeRequest, response: ServerResponse) => void;

/**
 * Receives deliveries with `node:http`. What the handler does decides the answer, as with `receive`.
 *
 * @example
 * createServer(nodeReceiver({ secret }, async ({ payload }) => keep(payload))).listen(8080);
 */
export function nodeReceiver(options: ReceiveOptions, handler: Handler): NodeListener {
  return (request, response) => {
    const { method, headers } = request;
    const readBody = (maxBytes: number): Promise<Uint8Array<ArrayBuffer>> =>
      nodeBytes(request, maxBytes);
    void answerTo({ method, headers, readBody }, options, handler).then((answer) =>
      send(request, response, answer),
    );
  };
}

/**
 * Receives deliveries in Express, with or without a parser in front. The parser must leave the bytes: it comes
 * after this route, does not read the delivery's content type, is `express.raw` or `express.text`, or keeps the
 * bytes as `request.rawBody`.
 *
 * @example
 * app.post("/hook", expressReceiver({ secret }, async ({ payload }) => keep(payload)));
 */
export function expressReceiver(options: ReceiveOptions, handler: Handler): NodeListener {
  return nodeReceiver(options, handler);
}

function send(request: NodeRequest, response: ServerResponse, answer: Answer): void {
  // Somebody else's timeout may have answered meanwhile.
  if (response.headersSent || response.destroyed) return;
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  // A sender whose body is refused unread could go on sending it for as long as the connection is open.
  if (!request.readableEnded) response.setHeader("connection", "close");
  response.end(answer.text ?? undefined);
}
