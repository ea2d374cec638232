import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

export interface FullListener {
  readonly port: number;
  /** Accepts the connections that wait, and answers every request with 200. */
  accept(): void;
}

/** Listens, and stays in one blocking call until the test tells it to accept. */
const program = `
  const { readSync, writeSync } = require("node:fs");
  const server = require("node:http").createServer((request, response) => response.end());
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => {
    writeSync(1, server.address().port + "\\n");
    readSync(0, Buffer.alloc(1));
  });
`;

/**
 * A listener on 127.0.0.1 whose queue is full. The kernel drops the first packet of every new connection,
 * as a bad network does, and completes the connection on a later try once the listener accepts. It is a
 * separate process because its event loop must stand still.
 */
export async function startFullListener(): Promise<FullListener> {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  });
  const [line] = await once(child.stdout, "data");
  const port = Number(String(line));
  // The queue takes one connection more than its length.
  for (let count = 0; count < 2; count++) {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
  }
  return { port, accept: () => void child.stdin.write("!") };
}
