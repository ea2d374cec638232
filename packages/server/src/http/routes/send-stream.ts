import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { EventStream } from "../../operations/operations.ts";
import { watchAdmission } from "../admission/watch-admission.ts";
import type { AdmissionWatchOptions } from "../admission/watch-admission.ts";
import { framesOf } from "../wire/event-frames.ts";
import { hangUpOf } from "../wire/hang-up.ts";
import type { PieceTurns } from "../wire/piece-turns.ts";

/** Proxies are asked to pass each event on at once, and not to compress: that would gather events first. */
const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
  // A stream ends with its connection, so a server that stops has nothing left to wait for.
  connection: "close",
};

export interface SendStreamOptions extends AdmissionWatchOptions {
  readonly pieceTurns: Pick<PieceTurns, "of">;
}

/**
 * Answers with a stream, and ends it with whatever it depends on. It takes no place of a request: that is given back when the
 * answer begins.
 */
export function sendStream(
  options: SendStreamOptions,
  stream: EventStream,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { raw } = reply;
  const isAdmitted = async (): Promise<boolean> =>
    (await options.refuseNow(request, reply)) === undefined;
  const inTurn = options.pieceTurns.of(request.caller.accountId);
  const frames = framesOf(stream, { isAdmitted, inTurn });
  const body = Readable.from(frames, { objectMode: true, highWaterMark: 1 });

  const end = (): void => {
    stream.leave();
    // Of a reader who is slow, what it has not read is dropped, here and in the system. To any other the stream just ends.
    if (!raw.writableNeedDrain) return;
    raw.socket?.resetAndDestroy();
    body.destroy();
  };
  const gone = hangUpOf(reply);
  const leave = (): void => {
    watch.close();
    stream.ended.removeEventListener("abort", end);
    stream.leave();
  };
  const watch = watchAdmission(options, request, reply, end);
  if (gone.aborted) leave();
  else {
    gone.addEventListener("abort", leave, { once: true });
    stream.ended.addEventListener("abort", end, { once: true });
  }
  return reply.headers(headers).send(body);
}
