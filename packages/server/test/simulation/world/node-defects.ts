import type { MessageOptions } from "../../../src/domain/message-options.ts";
import { endedJob } from "../../../src/domain/job-steps.ts";
import { instantOf } from "../../../src/domain/wanted-time.ts";
import { StoreUnavailable } from "../../../src/storage/store.ts";
import type { Store } from "../../../src/storage/store.ts";

/** Bugs that a node could have, as they show in its calls to the store. */
export const nodeDefectNames = [
  "outcome-lost-on-error",
  "lease-believed-longer",
  "idempotency-key-dropped",
  "payload-cut-at-nul",
  "accounts-not-told-apart",
  "delay-by-another-clock",
  "bound-not-checked",
  "bound-never-ends",
  "stop-not-stored",
] as const;

export type NodeDefectName = (typeof nodeDefectNames)[number];

const wrongStores: Record<NodeDefectName, (store: Store) => Partial<Store>> = {
  "outcome-lost-on-error": (store) => ({
    recordAttempts: async (holder, results) => {
      try {
        return await store.recordAttempts(holder, results);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        return results.map(() => ({ kind: "stale" }) as const);
      }
    },
  }),

  "lease-believed-longer": ({ sharing }) => ({
    sharing: sharing && { ...sharing, leaseMs: 4 * sharing.leaseMs },
  }),

  "idempotency-key-dropped": (store) => ({
    scheduleMessages: (requests) =>
      store.scheduleMessages(requests.map((request) => ({ ...request, idempotency: null }))),
  }),

  "delay-by-another-clock": (store) => ({
    scheduleMessages: (requests) =>
      store.scheduleMessages(
        requests.map((request) => ({
          ...request,
          deliveryTime: instantOf(request.deliveryTime, store.clock.now()),
        })),
      ),
  }),

  "payload-cut-at-nul": (store) => ({
    claimDue: async (holder, requests) => {
      const result = await store.claimDue(holder, requests);
      const cut = (payload: string): string => payload.split("\0")[0]!;
      return {
        ...result,
        claims: result.claims.map((claim) => ({ ...claim, payload: cut(claim.payload) })),
      };
    },
  }),

  "bound-not-checked": (store) => ({
    claimDue: async (holder, requests) => {
      const result = await store.claimDue(holder, requests);
      const unbounded = (options: MessageOptions | null) =>
        options && { ...options, notAfter: Infinity };
      const claims = result.claims.map((claim) => ({
        ...claim,
        options: unbounded(claim.options),
      }));
      return { ...result, claims };
    },
  }),

  "bound-never-ends": () => ({ endOutrun: async () => ({ ended: 0, nextBound: null }) }),

  "stop-not-stored": (store) => ({
    async changeJob(ref, change, ended) {
      const job = change.kind === "stop" ? await store.getJob(ref) : undefined;
      if (job?.state !== "RUNNING") return store.changeJob(ref, change, ended);
      const stopped = endedJob(job, "STOPPED", "REQUESTED", store.clock.now());
      return { kind: "changed", job: stopped };
    },
  }),

  "accounts-not-told-apart": (store) => ({
    getTargetByKey: async (targetKey) => {
      const target = await store.getTargetByKey(targetKey);
      return target && { ...target, accountId: "everybody" };
    },
  }),
};

export function withNodeDefects(store: Store, defects: ReadonlySet<string>): Store {
  const wrong = nodeDefectNames.filter((name) => defects.has(name));
  return wrong.reduce((before, name) => ({ ...before, ...wrongStores[name](before) }), store);
}
