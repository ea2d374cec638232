import { connect } from "node:net";
import type { Socket } from "node:net";

export interface OpenBodiesOptions {
  readonly url: string;
  readonly count: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of each body that is sent. No body is ever finished. */
  readonly beginning?: string;
}

/**
 * The kernel and the balancer must handle a flood of connections. This adversary tests the cost of each
 * one.
 */
const comesAgainMs = 1_000;

/** A caller that begins requests, never ends them, and begins another whenever one is cut off. */
export interface OpenBodies extends AsyncDisposable {
  /** How many requests have begun. */
  begun(): number;
  /** How often each status was answered. */
  statuses(): ReadonlyMap<number, number>;
}

export function keepBodiesOpen(options: OpenBodiesOptions): OpenBodies {
  const { hostname, port } = new URL(options.url);
  const lines = Object.entries(options.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${options.path} HTTP/1.1\r\nhost: x\r\n${lines.join("")}\r\n`;
  const sockets = new Set<Socket>();
  const statuses = new Map<number, number>();
  let begun = 0;
  let isOver = false;

  const begin = (): void => {
    if (isOver) return;
    begun++;
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    // A connection that is cut off while it sends has already received the reason.
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString("latin1"))?.[1]);
      if (!Number.isNaN(status)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // A refused caller does not go away. It connects again.
      socket.destroy();
    });
    socket.once("close", () => {
      sockets.delete(socket);
      setTimeout(begin, comesAgainMs);
    });
    socket.write(head + (options.beginning ?? ""));
  };
  for (let index = 0; index < options.count; index++) begin();
  return {
    begun: () => begun,
    statuses: () => statuses,
    async [Symbol.asyncDispose]() {
      isOver = true;
      const closed = [...sockets].map(
        (socket) => new Promise((resolve) => socket.once("close", resolve)),
      );
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
