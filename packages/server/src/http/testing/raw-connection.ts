import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** A client that sends what it likes, as slowly as it likes. */
export interface RawConnection {
  readonly socket: Socket;
  /** The server's end of it; undefined where it was refused. */
  readonly peer: Socket | undefined;
  send(bytes: string | Uint8Array): void;
  /** Everything that came back so far. */
  text(): string;
  /** Everything that came back, once it has something like this in it. */
  received(pattern: RegExp): Promise<string>;
  /** Everything that came back, once the server has closed. */
  readonly closed: Promise<string>;
  /** Resolves when the server has noticed the end of the connection. */
  readonly gone: Promise<void>;
}

/** One after the other, so that each knows its own end at the server. */
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
  // A server that closes while we send is what some tests are about.
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
