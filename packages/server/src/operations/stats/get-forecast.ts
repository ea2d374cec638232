import type { Caller } from "../../domain/access.ts";
import type { Instant } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { bucketMs } from "../../domain/time-buckets.ts";
import { earliestTime } from "../../domain/times.ts";
import type { Store } from "../../storage/store.ts";
import { pendingMessages } from "./forecast-source.ts";
import type { ForecastField, ForecastProgress, ForecastSource } from "./forecast-source.ts";
import { readRange, readTargetId } from "./given-range.ts";
import type { BucketRange, GivenRange } from "./given-range.ts";
import type { SliceOptions } from "./look-in-slices.ts";
import { refuseMissingTarget } from "./named-target.ts";
import type { Asked, RememberedLooks, RunningLook } from "./remembered-looks.ts";
import { runsOfSchedules } from "./runs-source.ts";
import type { RunsSourceOptions } from "./runs-source.ts";

export interface GetForecastOptions extends SliceOptions, Omit<RunsSourceOptions, "store"> {
  readonly store: Pick<Store, "countMessages" | "walkSchedules" | "getTarget" | "clock">;
  readonly looks: RememberedLooks;
}

export interface Forecast extends BucketRange {
  readonly targetId: string | null;
  /** Whether all messages were counted. */
  readonly exact: boolean;
  /** Whether all runs were counted. */
  readonly runsExact: boolean;
  /** Whether it is still being counted. */
  readonly counting: boolean;
  readonly asOf: Instant;
  readonly overdue: number;
  readonly items: readonly ForecastItem[];
}

export type ForecastItem = { readonly time: Instant } & Readonly<Record<ForecastField, number>>;

interface ForecastOrder extends BucketRange {
  readonly accountId: string;
  readonly targetId: string | null;
}

/** A near forecast, or one of a single target, is small. It is counted anew after a moment. */
const nearMs = bucketMs.day;
const nearFreshMs = 10_000;
/** A far one is remembered for this many times as long as the store worked for it. */
const freshForEachMs = 60;
const farFreshMs = { least: 60_000, most: 1_800_000 };
/** How long the store may work for one forecast. Runs are computed besides, where deliveries are made. */
const longestMs: Record<ForecastField, { readonly near: number; readonly far: number }> = {
  messages: { near: 10_000, far: 300_000 },
  runs: { near: 10_000, far: 60_000 },
};

/** What becomes due when. All that is known to become due is a source: pending messages, and runs of schedules. */
export async function getForecast(
  options: GetForecastOptions,
  { accountId }: Caller,
  given: GivenRange,
): Promise<Forecast> {
  const { store, looks } = options;
  const problems = [...given.problems];
  const targetId = readTargetId(given.targetId, problems);
  const now = store.clock.now();
  const range = readRange(given, { now, begins: true, usualBucket: "hour" }, problems);
  if (problems.length > 0) throw new RequestRefused(...problems);
  await refuseMissingTarget(store, accountId, targetId);
  const { bucket, from, until } = range;
  const order = { accountId, targetId, ...range };
  const name = JSON.stringify(["forecast", targetId, bucket, from, until]);
  const sources = [pendingMessages(options), runsOfSchedules(options)];
  return looks.get(accountId, name, (asked) => beginForecast(sources, order, now, asked));
}

function beginForecast(
  sources: readonly ForecastSource[],
  order: ForecastOrder,
  now: Instant,
  asked: Asked,
): RunningLook<Forecast> {
  const { accountId, targetId, bucket, from, until } = order;
  const beginnings = Array.from(
    { length: (until - from) / bucketMs[bucket] },
    (_, place) => from + place * bucketMs[bucket],
  );
  // What was due before is overdue, and in no bucket.
  const edges = [...beginnings.map((time) => Math.max(time, now + 1)), until];
  const isFar = targetId === null && until - bucketMs[bucket] > now + nearMs;
  const items = beginnings.map((time) => ({ time, messages: 0, runs: 0 }));
  const exact: Record<ForecastField, boolean> = { messages: false, runs: false };
  let overdue = 0;
  let workedMs = 0;
  let counting = true;
  let isAtItsEnd = false;

  const countBy = async (source: ForecastSource): Promise<boolean> => {
    const { field } = source;
    const mostMs = longestMs[field][isFar ? "far" : "near"];
    let ownMs = 0;
    const into = (add: (place: number, count: number) => void): ForecastProgress => ({
      found(counts, tookMs) {
        ownMs += tookMs;
        workedMs += tookMs;
        for (const [place, count] of counts.entries()) if (count > 0) add(place, count);
      },
      isOver: () => ownMs >= mostMs || isAtItsEnd || asked.isForgotten(),
    });
    let isWhole = true;
    if (field === "messages") {
      const past = { accountId, targetId, edges: [earliestTime, now + 1] };
      isWhole = await source.count(
        past,
        into((_, count) => (overdue += count)),
      );
    }
    if (items.length === 0) return isWhole;
    const progress = into((place, count) => (items[place]![field] += count));
    return (await source.count({ accountId, targetId, edges }, progress)) && isWhole;
  };
  const countAll = async (): Promise<void> => {
    try {
      await Promise.all(
        sources.map(async (source) => (exact[source.field] = await countBy(source))),
      );
    } finally {
      isAtItsEnd = true;
    }
  };
  const freshMs = (): number => {
    // Nobody waited for the end. The next caller begins anew.
    if (asked.isForgotten() && !(exact.messages && exact.runs)) return 0;
    if (!isFar) return nearFreshMs;
    return Math.min(farFreshMs.most, Math.max(farFreshMs.least, workedMs * freshForEachMs));
  };
  return {
    ended: countAll().finally(() => (counting = false)),
    view: () => ({
      ...{ targetId, bucket, from, until, counting, asOf: now, overdue, items },
      ...{ exact: exact.messages, runsExact: exact.runs },
    }),
    freshMs,
  };
}
