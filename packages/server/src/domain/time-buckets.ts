import type { Instant } from "./instant.ts";

/** The parts into which statistics divide time. They begin at full minutes, hours and days of UTC. */
export const timeBuckets = ["minute", "hour", "day"] as const;

export type TimeBucket = (typeof timeBuckets)[number];

export const bucketMs: Readonly<Record<TimeBucket, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The beginning of the bucket that holds this time. */
export function beginningOf(time: Instant, bucket: TimeBucket): Instant {
  return Math.floor(time / bucketMs[bucket]) * bucketMs[bucket];
}

/** The first beginning of a bucket at this time or later. */
export function nextBeginning(time: Instant, bucket: TimeBucket): Instant {
  return Math.ceil(time / bucketMs[bucket]) * bucketMs[bucket];
}
