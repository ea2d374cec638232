import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** A client that can send any bytes, at any pace. */
export interface RawConnection {
  readonly socket: Socket;
  /** The server's end of the connection. Undefined if the server refused it. */
  readonly peer: Socket | undefined;
  send(bytes: string | Uint8Array): void;
  /** Everything received so far. */
  text(): string;
  /** Everything received, once it matches the pattern. */
  received(pattern: RegExp): Promise<string>;
  /** Everything received, once the server has closed the connection. */
  readonly closed: Promise<string>;
  /** Resolves when the server has noticed the end of the connection. */
  readonly gone: Promise<void>;
}

/** Open connections one after the other: each takes the next one that the server accepts for its own. */
export async function connectRaw(
  app: FastifyInstance,
  options: {
    readonly allowHalfOpen?: boolean;
    readonly localAddress?: string;
    readonly host?: string;
  } = {},
): Promise<RawConnection> {
  const { port } = app.server.address() as AddressInfo;
  let text = "";
  const socket = connect({ port, host: "127.0.0.1", ...options });
  // Some tests have the server close the connection while the client still sends.
  socket.on("error", () => {});
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  const peer = await Promise.race([
    once(app.server, "connection").then(([accepted]) => accepted as Socket),
    closed,
  ]);
  const gone = new Promise<void>((resolve) => {
    if (typeof peer === "string") resolve();
    else peer.once("close", () => resolve());
  });
  return {
    socket,
    peer: typeof peer === "string" ? undefined : peer,
    gone,
    closed,
    text: () => text,
    send: (bytes) => void socket.write(bytes),
    received: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!pattern.test(text)) return;
          socket.off("data", look);
          resolve(text);
        };
        socket.on("data", look).once("close", () => reject(new Error(`closed after ${text}`)));
        look();
      }),
  };
}

export function head(method: string, path: string, headers: Record<string, string | number> = {}) {
  const lines = Object.entries({ host: "x", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}
