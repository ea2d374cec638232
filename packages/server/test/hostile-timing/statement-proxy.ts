import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Intervened, Intervention, Statement } from "./interventions.ts";
import { RelayedConnection } from "./relayed-connection.ts";

export interface ProxyWatcher {
  /** Decides what happens to a statement that has just arrived. Null leaves it alone. */
  intervene(statement: Statement): Intervention | null;
  /** An intervention is over. */
  onIntervened?(intervened: Intervened): void;
  /** The clients' host is gone. The process that stands for it must die now. */
  onVanished?(): void;
}

export interface StatementProxy extends AsyncDisposable {
  /** The database URL that clients use. */
  readonly url: string;
  /** Resolves once every intervention that has begun is over. Those of a vanished host never are. */
  settled(): Promise<void>;
}

/**
 * Stands between one host and PostgreSQL and recognises each statement. It can hold one, deliver it late,
 * cut it off or leave it without an answer, while all the others pass.
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
