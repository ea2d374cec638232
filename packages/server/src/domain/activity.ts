import { attemptOutcomes } from "./attempt.ts";
import type { AttemptOutcome } from "./attempt.ts";
import type { Instant } from "./instant.ts";
import { bucketMs } from "./time-buckets.ts";

/**
 * The upper bounds of the buckets of durations and of lateness, each included. One more bucket holds what is
 * above the last bound. Stores keep the positions: the bounds never change.
 */
export const activityBoundsMs = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000,
] as const;

const histogramLength = activityBoundsMs.length + 1;

/**
 * How many attempts there were, as one list of whole numbers: by their durations, by their lateness, and by
 * their outcomes in the order of `attemptOutcomes`. A later version may append outcomes, so a shorter list
 * stands for zeros at its end.
 */
export type ActivityCounts = readonly number[];

const outcomesFrom = 2 * histogramLength;

export function noActivity(): number[] {
  return Array.from({ length: outcomesFrom + attemptOutcomes.length }, () => 0);
}

export interface ObservedAttempt {
  readonly outcome: AttemptOutcome;
  readonly durationMs: number;
  readonly latenessMs: number;
}

/** Adds one attempt to the counts. */
export function countAttempt(counts: number[], attempt: ObservedAttempt): void {
  counts[placeOf(attempt.durationMs)]!++;
  counts[histogramLength + placeOf(attempt.latenessMs)]!++;
  counts[outcomesFrom + attemptOutcomes.indexOf(attempt.outcome)]!++;
}

function placeOf(ms: number): number {
  const place = activityBoundsMs.findIndex((bound) => ms <= bound);
  return place === -1 ? activityBoundsMs.length : place;
}

export function addCounts(one: ActivityCounts, other: ActivityCounts): number[] {
  const [longer, shorter] = one.length >= other.length ? [one, other] : [other, one];
  return longer.map((count, place) => count + (shorter[place] ?? 0));
}

export interface ActivityView {
  readonly attempts: number;
  readonly outcomes: Readonly<Record<AttemptOutcome, number>>;
  readonly durations: Histogram;
  readonly lateness: Histogram;
}

/** The numbers of attempts, one for each bound and one for all above. */
export interface Histogram {
  readonly counts: readonly number[];
  /** Estimated from the buckets; null without any attempt. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export function viewActivity(counts: ActivityCounts): ActivityView {
  const outcomes = attemptOutcomes.map((outcome, place) => [
    outcome,
    counts[outcomesFrom + place] ?? 0,
  ]) as [AttemptOutcome, number][];
  return {
    attempts: outcomes.reduce((sum, [, count]) => sum + count, 0),
    outcomes: Object.fromEntries(outcomes) as Record<AttemptOutcome, number>,
    durations: histogramOf(counts.slice(0, histogramLength)),
    lateness: histogramOf(counts.slice(histogramLength, outcomesFrom)),
  };
}

function histogramOf(counts: readonly number[]): Histogram {
  return { counts, p50Ms: quantile(counts, 0.5), p99Ms: quantile(counts, 0.99) };
}

/** Within a bucket, attempts are taken as evenly spread. Above the last bound, that bound is the answer. */
function quantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [place, count] of counts.entries()) {
    const upper = activityBoundsMs[place];
    if (upper === undefined) break;
    if (left <= count) {
      const lower = activityBoundsMs[place - 1] ?? 0;
      return Math.round((lower + ((upper - lower) * left) / count) * 10) / 10;
    }
    left -= count;
  }
  return activityBoundsMs.at(-1)!;
}

/** The spans of time for which activity is kept, and how long. */
export const activitySpans = ["minute", "hour"] as const;

export type ActivitySpan = (typeof activitySpans)[number];

export const keptMs: Readonly<Record<ActivitySpan, number>> = {
  minute: 48 * bucketMs.hour,
  hour: 35 * bucketMs.day,
};

/** What is added to one row. */
export interface ActivityAddition {
  readonly accountId: string;
  /** Null: all targets of the account together. */
  readonly targetKey: number | null;
  readonly span: ActivitySpan;
  /** When the span begins. */
  readonly time: Instant;
  readonly counts: ActivityCounts;
}
