import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { heldBytes, parsedBody, Pieces, tooLarge, unreadable } from "../webhook/raw-body.ts";

/** A request of `node:http`. Whatever stands in front may have read its body, and kept it here. */
export type NodeRequest = IncomingMessage & {
  /** The bytes as they came, where a parser was told to keep them. */
  readonly rawBody?: unknown;
  /** What a parser has made of the bytes. */
  readonly body?: unknown;
};

/** The raw body of a request: as it arrives, or as a parser in front has kept it. */
export async function nodeBytes(
  request: NodeRequest,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (isRaw(request.rawBody)) return heldBytes(request.rawBody, maxBytes);
  // A parser that does not care for this content type leaves `body` empty and the stream alone.
  if (!request.readableDidRead) return streamBytes(request, maxBytes);
  if (isRaw(request.body)) return heldBytes(request.body, maxBytes);
  throw parsedBody("a parser in front has read this request's body already");
}

function isRaw(body: unknown): boolean {
  return typeof body === "string" || body instanceof Uint8Array;
}

/**
 * Reads a stream that nobody has read from. Leaves it open on failure, or there would be no connection to answer
 * on.
 */
export function streamBytes(stream: Readable, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    // It ends without being read if it is empty. A stream that is over has no more events.
    if (stream.readableEnded) return resolve(new Uint8Array());
    if (stream.destroyed) return reject(unreadable(stream.errored));
    const pieces = new Pieces(maxBytes);
    const onData = (piece: Uint8Array): void => {
      if (pieces.add(piece)) return;
      stream.off("data", onData);
      stream.pause();
      reject(tooLarge(maxBytes));
    };
    stream.on("data", onData);
    stream.once("end", () => resolve(pieces.joined()));
    stream.once("error", (error) => reject(unreadable(error)));
    stream.once("close", () => reject(unreadable(undefined)));
  });
}
