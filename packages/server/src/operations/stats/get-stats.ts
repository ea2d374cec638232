import type { Caller } from "../../domain/access.ts";
import type { Instant } from "../../domain/message.ts";
import { bucketMs } from "../../domain/time-buckets.ts";
import { earliestTime, latestTime } from "../../domain/times.ts";
import type { CountRequest, Store } from "../../storage/store.ts";
import { lookInSlices } from "./look-in-slices.ts";
import type { SliceOptions } from "./look-in-slices.ts";
import type { RememberedLooks, RunningLook } from "./remembered-looks.ts";

export interface GetStatsOptions extends SliceOptions {
  readonly store: Pick<Store, "countMessages" | "clock">;
  readonly looks: RememberedLooks;
}

export interface Count {
  readonly value: number;
  /** False: there were at least so many. */
  readonly exact: boolean;
  readonly asOf: Instant;
}

export type StatName =
  | "pending"
  | "overdue"
  | "dueInMinute"
  | "dueInHour"
  | "dueInDay"
  | "deadLetters";

export type Stats = Readonly<Record<StatName, Count>>;

const mostCounted = 100_000;
/** How long one of the counts may work. */
const longestMs = 400;
const freshMs = 2_000;

export function getStats(options: GetStatsOptions, { accountId }: Caller): Promise<Stats> {
  return options.looks.get(accountId, "stats", () => countStats(options, accountId));
}

function countStats(options: GetStatsOptions, accountId: string): RunningLook<Stats> {
  const { store } = options;
  const now = store.clock.now();
  const edgesAhead = [bucketMs.minute, bucketMs.hour, bucketMs.day].map((ms) => now + 1 + ms);
  const near = new CappedCount([earliestTime, now + 1, ...edgesAhead]);
  const far = new CappedCount([edgesAhead.at(-1)!, latestTime + 1]);
  const dead = new CappedCount([earliestTime, latestTime + 1]);

  const count = async (list: CountRequest["list"], counted: CappedCount): Promise<void> => {
    let workedMs = 0;
    counted.exact = await lookInSlices(options, {
      accountId,
      read: (after) =>
        store.countMessages({ accountId, targetId: null, list, edges: counted.edges, after }),
      found({ counts }, tookMs) {
        counted.add(counts);
        workedMs += tookMs;
      },
      isOver: () => counted.sum() >= mostCounted || workedMs >= longestMs,
    });
  };

  const view = (): Stats => {
    const [overdue = 0, minute = 0, hour = 0, day = 0] = near.counts;
    const shown = (value: number, ...of: readonly CappedCount[]): Count => ({
      value: Math.min(value, mostCounted),
      exact: value <= mostCounted && of.every((each) => each.exact),
      asOf: now,
    });
    return {
      pending: shown(near.sum() + far.sum(), near, far),
      overdue: shown(overdue, near),
      dueInMinute: shown(minute, near),
      dueInHour: shown(minute + hour, near),
      dueInDay: shown(minute + hour + day, near),
      deadLetters: shown(dead.sum(), dead),
    };
  };
  const countAll = async (): Promise<void> => {
    await count("scheduled", near);
    await count("dead-letters", dead);
    if (near.sum() < mostCounted) await count("scheduled", far);
  };
  return { ended: countAll(), view, freshMs: () => freshMs };
}

class CappedCount {
  readonly edges: readonly Instant[];
  readonly counts: number[];
  exact = false;

  constructor(edges: readonly Instant[]) {
    this.edges = edges;
    this.counts = Array.from({ length: edges.length - 1 }, () => 0);
  }

  add(counts: readonly number[]): void {
    for (const [place, count] of counts.entries()) this.counts[place]! += count;
  }

  sum(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }
}
