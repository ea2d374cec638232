import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../platform/clock.ts";
import type { Timer, Timers } from "../platform/timers.ts";

export interface QuietConnectionsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How long nothing may move. */
  readonly quietMs: number;
  readonly lookEveryMs: number;
}

interface Progress {
  readonly bytes: number;
  /** When it was first seen at that, by the monotonic clock. */
  readonly since: number;
}

/**
 * Cuts off connections on which no byte has moved for long, in either direction. They are looked at from
 * time to time: a timer for each, set anew with all that moves, would cost every request more than this
 * costs all of them.
 */
export function cutQuietConnections(app: FastifyInstance, options: QuietConnectionsOptions): void {
  const { clock, timers, quietMs, lookEveryMs } = options;
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
      if (bytes !== progress.bytes) connections.set(socket, { bytes, since: now });
      else if (now - progress.since >= quietMs) socket.destroy();
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
