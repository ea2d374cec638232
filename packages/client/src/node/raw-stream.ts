import type { Readable } from "node:stream";

/**
 * The bytes of a Node stream as a Web stream. Nothing is read before somebody asks. A reader that gives up leaves
 * the Node stream open, or there would be no connection to answer on; `Readable.toWeb` would destroy it.
 */
export function rawStream(source: Readable): ReadableStream<Uint8Array> {
  return ReadableStream.from<Uint8Array>(source.iterator({ destroyOnReturn: false }));
}
