import type { Readable } from "node:stream";

/**
 * The bytes of a Node stream as a Web stream. Nothing is read before somebody asks. A reader that gives up leaves
 * the Node stream open, or there would be no connection to answer on; `Readable.toWeb` would destroy it.
 */
export function rawStream(source: Readable): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error?: Error): void => {
          if (!isOver) controller.error(error ?? new Error("The connection was closed."));
          isOver = true;
        };
        const end = (): void => {
          if (!isOver) controller.close();
          isOver = true;
        };
        // A stream that is over has no more events. It ends without being read if it is empty.
        if (source.readableEnded) return end();
        if (source.destroyed) return fail(source.errored ?? undefined);
        source.once("end", end).once("error", fail).once("close", fail);
      },
      pull(controller) {
        return new Promise((resolve) => {
          const onData = (piece: Uint8Array): void => {
            source.pause();
            if (!isOver) controller.enqueue(piece);
            done();
          };
          const done = (): void => {
            source.off("data", onData).off("close", done).off("end", done);
            resolve();
          };
          source.on("data", onData).once("close", done).once("end", done);
          source.resume();
        });
      },
      cancel() {
        isOver = true;
        source.pause();
      },
    },
    { highWaterMark: 0 },
  );
}
