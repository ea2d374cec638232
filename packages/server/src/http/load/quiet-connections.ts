import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import { unfinishedRequest } from "./unsent-answers.ts";

export interface QuietConnectionsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How long nothing may move. */
  readonly quietMs: number;
  /** How long nothing may move while a body is being read. */
  readonly bodyQuietMs: number;
  readonly lookEveryMs: number;
}

interface Progress {
  readonly bytes: number;
  /** When it was first seen at that, by the monotonic clock. */
  readonly since: number;
}

/**
 * Cuts off connections on which no byte has moved for long, in either direction, and sooner those whose
 * client owes the rest of a body. They are looked at from time to time: a timer for each, set anew with
 * all that moves, would cost every request more than this costs all of them.
 */
export function cutQuietConnections(app: FastifyInstance, options: QuietConnectionsOptions): void {
  const { clock, timers, quietMs, bodyQuietMs, lookEveryMs } = options;
  const connections = new Map<Socket, Progress>();
  let timer: Timer | undefined;

  app.server.on("connection", (socket) => {
    connections.set(socket, { bytes: 0, since: clock.monotonic() });
    socket.once("close", () => connections.delete(socket));
  });
  const look = (): void => {
    const now = clock.monotonic();
    for (const [socket, progress] of connections) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const quietForMs = now - progress.since;
      if (bytes !== progress.bytes) connections.set(socket, { bytes, since: now });
      // A client that was told the end has no time to lose: it may hold its side open for ever.
      else if (quietForMs >= quietMs || socket.writableEnded) socket.destroy();
      else if (quietForMs >= bodyQuietMs) cutUnfinished(app, socket);
    }
    timer = timers.after(lookEveryMs, look);
  };
  app.addHook("onReady", (done) => {
    look();
    done();
  });
  app.addHook("onClose", (_app, done) => {
    timer?.cancel();
    done();
  });
}

/** Of a body that nobody reads yet the client is not to blame: we may be waiting for the store. */
function cutUnfinished(app: FastifyInstance, socket: Socket): void {
  const unfinished = unfinishedRequest(socket);
  if (unfinished === undefined || !unfinished.isRead) return;
  if (unfinished.isAnswered) socket.destroy();
  // As when Node.js finds that a request takes too long, and answered in the same way.
  else app.server.emit("clientError", new BodyStalled(), socket);
}

class BodyStalled extends Error {
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}
