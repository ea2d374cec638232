import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { lookup } from "node:dns/promises";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** These accept connections on other addresses and hand them to `server`. */
    readonly furtherListeners: Set<Server>;
  }
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** By default the system looks up the addresses. */
  readonly addressesOf?: (host: string) => Promise<readonly string[]>;
}

/** The one name that has an address of each family. */
const bothFamilies = "localhost";

/** Closes the listeners with the server. The server then waits for their connections too. */
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
 * address, without the bounds of the first. Here the second address only accepts connections, and the one
 * server handles them all.
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

/** Skips an address that is not available, for example if its family is switched off. */
async function acceptOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  const { server } = app;
  // The same options that the HTTP server uses for its own sockets.
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
