import { Gauge, Histogram } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";
import { AgeGauge } from "./age-gauge.ts";
import { Durations } from "./durations.ts";
import type { RecentCounts } from "./recent-counts.ts";

const batchBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export interface StoreSources {
  readonly clock: Pick<Clock, "monotonic">;
  readonly readCounts: () => Promise<RecentCounts>;
  readonly waitingCalls: () => number;
}

/** What waits in the store, how quickly it answers, and when this node last heard of it. */
export function storeMetrics(
  registry: Registry,
  { clock, readCounts, waitingCalls }: StoreSources,
) {
  const registers = [registry];
  const counted = (name: string, help: string, of: (counts: RecentCounts) => number): void =>
    void new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set(of(await readCounts()));
      },
    });
  counted(
    "postdate_pending_messages",
    "Messages in the state SCHEDULED, counted every 10 s at most.",
    ({ pending }) => pending,
  );
  counted(
    "postdate_overdue_messages",
    "Messages that are due and have no outcome yet, in an attempt or not, without those of paused targets and suspended accounts. Counted with `postdate_pending_messages`; above 100,000 there may be more.",
    ({ overdue }) => overdue,
  );
  counted(
    "postdate_oldest_overdue_age_seconds",
    "How long the one of `postdate_overdue_messages` that has waited longest was due when they were counted. 0 without any.",
    ({ oldestOverdueMs }) => oldestOverdueMs / 1_000,
  );
  counted(
    "postdate_pending_messages_age_seconds",
    "How long ago `postdate_pending_messages` and `postdate_overdue_messages` were counted.",
    ({ ageMs }) => ageMs / 1_000,
  );
  void new Gauge({
    name: "postdate_store_waiting_calls",
    help: "Calls that wait in this process until the store can begin with them.",
    registers,
    collect() {
      this.set(waitingCalls());
    },
  });
  return {
    commitBatch: new Histogram({
      name: "postdate_store_batch_size",
      help: "Calls that shared one commit.",
      buckets: batchBuckets,
      registers,
    }),
    storeCalls: new Durations(registry, {
      name: "postdate_store_call_duration_seconds",
      help: "Time from a call to the store to its answer, by `verb`, waiting included. Of calls of one verb that are under way together, one is measured. A change that waits for an attempt in flight waits here.",
      labelNames: ["verb"],
    }),
    lease: new AgeGauge(registry, clock, {
      name: "postdate_lease_age_seconds",
      help: "How long ago this node asked for the lease that it has, or had last. NaN on the embedded store, which knows no leases.",
    }),
    lookAhead: new AgeGauge(registry, clock, {
      name: "postdate_look_ahead_age_seconds",
      help: "How long ago this node last looked for due messages that other nodes have scheduled. NaN on the embedded store, and on a node that does not deliver.",
    }),
  };
}
