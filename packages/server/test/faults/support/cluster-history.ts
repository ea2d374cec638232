import type { History } from "../../history/history.ts";
import type { Api } from "../../support/api.ts";
import { takeFinalLook, targetTerms } from "../../support/final-look.ts";
import type { ClusterListeners } from "../../support/listeners/listen-to-cluster.ts";
import { busyRun, realBounds } from "../../support/real-run.ts";
import type { Receiver } from "../../support/receiver.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";

export interface ClusterRun extends Pick<History, "asked" | "faults"> {
  /** Of a node that answers now. */
  readonly api: Api;
  readonly receiver: Receiver;
  readonly listening?: Pick<ClusterListeners, "finalLook">;
  readonly bounds?: Partial<History["bounds"]>;
  readonly expects?: Partial<History["expects"]>;
}

/** The history of a run whose callers have stopped. */
export async function clusterHistory(run: ClusterRun): Promise<History> {
  const { api, receiver, listening, asked, faults, bounds, expects } = run;
  return {
    asked,
    ...(listening === undefined
      ? { final: await takeFinalLook(api, asked) }
      : await listening.finalLook(api, asked)),
    receipts: seenReceipts(receiver.receipts),
    faults,
    targets: await targetTerms(api),
    bounds: { ...realBounds, ...bounds },
    expects: { ...busyRun, ...expects },
  };
}
