import type { IncomingMessage } from "node:http";
import type { RawBody, ReceivedRequest } from "../webhook/index.ts";

/** A request of `node:http`. Whatever stands in front may have read its body, and kept it here. */
export type NodeRequest = IncomingMessage & {
  /** The bytes as they came, where a parser was told to keep them. */
  readonly rawBody?: unknown;
  /** What a parser has made of the bytes. */
  readonly body?: unknown;
};

/** The answer of a route, ready to be sent. */
export async function answerOf(
  route: (request: ReceivedRequest) => Promise<Response>,
  request: NodeRequest,
) {
  const { method, headers } = request;
  const answer = await route({ method, headers, body: bodyOf(request) });
  const text = await answer.text();
  // A sender whose body is refused unread could go on sending it for as long as the connection is open.
  if (!request.readableEnded) answer.headers.set("connection", "close");
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
}

/** The raw body where it can be had, and otherwise what a parser has left, for the verification to refuse. */
function bodyOf(request: NodeRequest): RawBody {
  if (request.rawBody !== undefined) return request.rawBody as RawBody;
  // A parser that has read the stream has set `body`. One that does not care for this content type may have, too.
  if (request.readableDidRead) return request.body as RawBody;
  // Nothing is read before somebody asks. A reader that gives up leaves the stream open, or there would be no
  // connection to answer on; `Readable.toWeb` would destroy it.
  return ReadableStream.from<Uint8Array>(request.iterator({ destroyOnReturn: false }));
}
