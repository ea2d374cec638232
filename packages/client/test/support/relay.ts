import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Relay extends AsyncDisposable {
  readonly url: string;
  /** Where connections go from now on. */
  leadTo(url: string): void;
}

/** One address for a server that comes back at another. */
export async function startRelay(): Promise<Relay> {
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const service = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [caller, service],
      [service, caller],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => void (port = Number(new URL(url).port)),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
