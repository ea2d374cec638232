import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { lookup } from "node:dns/promises";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** What accepts connections besides `server`, on other addresses, and hands them to it. */
    readonly furtherListeners: Set<Server>;
  }
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The system's, unless told otherwise. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

/** The one name that stands for an address of each family. */
const bothFamilies = "localhost";

/** Closes them with the server, which goes on once their connections have ended as well. */
export function keepFurtherListeners(app: FastifyInstance): void {
  const listeners = new Set<Server>();
  app.decorate("furtherListeners", listeners);
  app.addHook("preClose", (done) => {
    for (const listener of listeners) {
      listener.once("close", () => listeners.delete(listener));
      listener.close();
    }
    done();
  });
  app.addHook("onClose", async () => {
    await Promise.all([...listeners].map((listener) => once(listener, "close")));
  });
}

/**
 * Listens on every address of the host. The framework would make a second HTTP server for a second
 * address, without all that is bounded on the first. Here the second address only accepts, and the one
 * server has all connections.
 */
export async function listenOnEveryAddress(
  app: FastifyInstance,
  { host, port, addressesOf = systemAddresses }: ListenOptions,
): Promise<void> {
  const [first = host, ...others] = host === bothFamilies ? await addressesOf(host) : [host];
  await app.listen({ host: first, port });
  const { port: taken } = app.server.address() as AddressInfo;
  for (const address of others) await acceptOn(app, address, taken);
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

/** An address that cannot be had, such as that of a family which is switched off, is passed over. */
async function acceptOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  const { server } = app;
  // As the HTTP server opens its own sockets.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit("connection", socket),
  );
  listener.maxConnections = server.maxConnections;
  listener.on("drop", (dropped) => server.emit("drop", dropped));
  try {
    await once(listener.listen({ host, port }), "listening");
  } catch {
    return;
  }
  app.furtherListeners.add(listener);
}
