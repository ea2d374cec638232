import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../../platform/clock.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import { unfinishedRequest } from "./unsent-answers.ts";

export interface QuietConnectionsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  /** How long a connection may be quiet. */
  readonly quietMs: number;
  /** How long a connection may be quiet while the server reads a body from it. */
  readonly bodyQuietMs: number;
  readonly lookEveryMs: number;
}

interface Progress {
  readonly bytes: number;
  /** When this count was first seen, by the monotonic clock. */
  readonly since: number;
}

/**
 * Closes connections on which no byte has moved for long, in either direction. If the client still has to
 * send the rest of a body, it has less time. One timer checks all connections. A timer for each
 * connection, reset with every byte, would cost each request more than this costs all of them.
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
      // The server has ended its side. A client that keeps its own side open gets no more time.
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

/** If the server does not read the body yet, the client is not at fault: the server may wait for the store. */
function cutUnfinished(app: FastifyInstance, socket: Socket): void {
  const unfinished = unfinishedRequest(socket);
  if (unfinished === undefined || !unfinished.isRead) return;
  if (unfinished.isAnswered) socket.destroy();
  // Node.js emits the same event for a request that takes too long, so the answer is the same.
  else app.server.emit("clientError", new BodyStalled(), socket);
}

class BodyStalled extends Error {
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}
