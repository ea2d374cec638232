import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Intervened, Intervention, Statement } from "./interventions.ts";
import { RelayedConnection } from "./relayed-connection.ts";

export interface ProxyWatcher {
  /** What shall become of a statement that has just come; null: nothing. */
  intervene(statement: Statement): Intervention | null;
  /** An intervention is over. */
  onIntervened?(intervened: Intervened): void;
  /** The clients' host is gone: whoever plays it must die now. */
  onVanished?(): void;
}

export interface StatementProxy extends AsyncDisposable {
  /** Where clients find the database. */
  readonly url: string;
  /** Resolves once every intervention that has begun is over; those of a vanished host never are. */
  settled(): Promise<void>;
}

/**
 * Stands between one host and PostgreSQL, and knows its statements one from another: each can be held,
 * delivered late, cut off or left without an answer, while all the others pass.
 */
export async function proxyTo(serverUrl: string, watcher: ProxyWatcher): Promise<StatementProxy> {
  const to = new URL(serverUrl);
  const relays = new Set<RelayedConnection>();
  let underWay = 0;
  let whenSettled = (): void => {};
  let isVanished = false;

  const server = createServer((near) => {
    if (isVanished) {
      near.destroy();
      return;
    }
    const relay: RelayedConnection = new RelayedConnection(
      near,
      {
        host: to.hostname,
        port: Number(to.port),
        intervene(statement) {
          const intervention = watcher.intervene(statement);
          if (intervention !== null) underWay++;
          return intervention;
        },
        onIntervened(intervened) {
          underWay--;
          watcher.onIntervened?.(intervened);
          if (underWay === 0) whenSettled();
        },
        onVanish() {
          isVanished = true;
          for (const each of relays) each.fallSilent();
          watcher.onVanished?.();
          whenSettled();
        },
      },
      () => relays.delete(relay),
    );
    relays.add(relay);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    settled: () =>
      new Promise((resolve) => {
        whenSettled = resolve;
        if (underWay === 0 || isVanished) resolve();
      }),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const relay of relays) relay.close();
      await once(server, "close");
    },
  };
}
