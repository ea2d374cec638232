import type { Asked, History } from "../../history/history.ts";
import type { Api } from "../api.ts";
import type { ClusterNode } from "../cluster.ts";
import { takeFinalLook } from "../final-look.ts";
import { listen } from "./listen.ts";
import type { Listeners } from "./listen.ts";
import { looksIntoPostgres } from "./look-into-store.ts";

export interface ClusterListeners extends AsyncDisposable, Pick<Listeners, "pause" | "resume"> {
  /** What a history needs of the end. The callers have stopped, and `api` is of a node that answers. */
  finalLook(api: Api, asked: readonly Asked[]): Promise<Pick<History, "final" | "events">>;
}

/** Listens at the nodes that run. */
export async function listenToCluster(
  databaseUrl: string,
  runs: () => readonly ClusterNode[],
): Promise<ClusterListeners> {
  const store = looksIntoPostgres(databaseUrl);
  let turn = 0;
  const pick = (): string => runs()[turn++ % runs().length]!.server.url;
  const listeners = await listen({ api: runs()[0]!.api, store, pick });
  return {
    ...listeners,
    async finalLook(api, asked) {
      const { versions } = await store.look();
      const final = await takeFinalLook(api, asked, versions.keys());
      return { final, events: await listeners.end(api) };
    },
  };
}
