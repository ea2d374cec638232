import { readFileSync } from "node:fs";
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { onTestFinished } from "vitest";

export const localhostCertificate = readFileSync(
  new URL("localhost-certificate.pem", import.meta.url),
  "utf8",
);
const localhostKey = readFileSync(new URL("localhost-key.pem", import.meta.url), "utf8");

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The number of its connection, counted from 1. */
  readonly connection: number;
}

export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  connectionCount(): number;
  /** Resolves once a connection has closed. */
  readonly firstClose: Promise<void>;
}

export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** A real HTTP server that keeps what it receives. It ends with the test. */
export async function startReceiver(
  answer: Answer = (response) => response.end(),
  { secure = false } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const numbers = new WeakMap<Socket, number>();
  const server = secure
    ? createHttpsServer({ key: localhostKey, cert: localhostCertificate })
    : createHttpServer();
  const { counter, firstClose } = watchConnections(server, (socket, number) =>
    numbers.set(socket, number),
  );
  if (secure) {
    server.on("secureConnection", (socket: Socket) => numbers.set(socket, counter.count));
  }
  server.on("request", (incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("error", () => undefined);
    incoming.on("end", () => {
      const request: ReceivedRequest = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: Buffer.concat(pieces),
        connection: numbers.get(incoming.socket) ?? 0,
      };
      requests.push(request);
      answer(response, request);
    });
  });
  const port = await listen(server);
  const url = `${secure ? "https" : "http"}://127.0.0.1:${port}/`;
  return { port, url, requests, connectionCount: () => counter.count, firstClose };
}

/** A bare TCP server, for behaviour that an HTTP server does not have. */
export async function startRawReceiver(onSocket: (socket: Socket) => void): Promise<Receiver> {
  const server = createTcpServer();
  const { counter, firstClose } = watchConnections(server, (socket) => {
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}/`;
  return { port, url, requests: [], connectionCount: () => counter.count, firstClose };
}

/** Answers as soon as the first bytes of a request arrive. */
export function startTextReceiver(text: string): Promise<Receiver> {
  return startRawReceiver((socket) => socket.once("data", () => socket.write(text)));
}

/** A port that nobody listens on. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function watchConnections(server: Server, onSocket: (socket: Socket, number: number) => void) {
  const counter = { count: 0 };
  const closed = Promise.withResolvers<void>();
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    counter.count += 1;
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      closed.resolve();
    });
    onSocket(socket, counter.count);
  });
  onTestFinished(async () => {
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of open) socket.destroy();
    await ended;
  });
  return { counter, firstClose: closed.promise };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
