import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { PieceCount } from "./piece-count.ts";
import { waitsToBeAsked } from "./expect-continue.ts";

const kilobyte = 1_024;

/**
 * In bytes. A body with an announced length is cheap to skip. In a chunked body each chunk may be one byte
 * long. The bound for known callers is the longest body that any operation takes.
 */
const mostSkipped = {
  known: { announced: 16 * kilobyte * kilobyte, chunked: kilobyte * kilobyte },
  stranger: { announced: kilobyte * kilobyte, chunked: 64 * kilobyte },
};

function mostSkippedOf({ raw, isKnown }: FastifyRequest): number {
  const { announced, chunked } = mostSkipped[isKnown ? "known" : "stranger"];
  return raw.headers["transfer-encoding"] === undefined ? announced : chunked;
}

/**
 * Reads and drops the rest of a refused body, up to a bound, then calls `goOn`. Without this, a client that
 * still sends while the server answers and closes gets a connection reset, and never sees the answer.
 */
export function skipBodyFirst(request: FastifyRequest, goOn: () => void): void {
  const { raw } = request;
  if (raw.readableEnded || raw.destroyed || waitsToBeAsked(raw)) return goOn();
  const most = mostSkippedOf(request);
  const pieces = new PieceCount();
  const count = (piece: Buffer): void => {
    pieces.add(piece);
    if (pieces.bytes > most || pieces.areTiny) finish();
  };
  const finish = (): void => {
    raw.off("data", count).off("end", finish).off("close", finish);
    goOn();
  };
  raw.on("data", count).on("end", finish).on("close", finish);
}

/**
 * After the answer, Node.js reads and drops the rest of the body, however long it is. This closes the
 * connection if the rest exceeds the bound.
 */
export function boundSkippedBody(request: FastifyRequest, response: ServerResponse): void {
  const { raw } = request;
  if (!isStillToCome(raw)) return;
  const most = mostSkippedOf(request);
  const { socket } = raw;
  response.once("finish", () => {
    if (raw.complete || socket.destroyed) return;
    let skipped = 0;
    const count = (bytes: Buffer): void => {
      if (raw.complete) socket.off("data", count);
      else if ((skipped += bytes.length) > most) socket.destroy();
    };
    socket.on("data", count);
  });
}

function isStillToCome({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  if (headers["transfer-encoding"] !== undefined) return true;
  return headers["content-length"] !== undefined && headers["content-length"] !== "0";
}
