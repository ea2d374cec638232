import type { IncomingMessage } from "node:http";
import type { RawBody, ReceivedRequest } from "../webhook/index.ts";

/** A request of `node:http`. Whatever stands in front may have read its body, and kept it here. */
export type NodeRequest = IncomingMessage & {
  /** The bytes as they came, where a parser was told to keep them. */
  readonly rawBody?: unknown;
  /** What a parser has made of the bytes. */
  readonly body?: unknown;
};

export function receivedRequest(request: NodeRequest): ReceivedRequest {
  const { method, headers } = request;
  return { method, headers, body: bodyOf(request) };
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
