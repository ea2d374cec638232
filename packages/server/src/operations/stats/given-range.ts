import type { Instant } from "../../domain/message.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import { beginningOf, bucketMs, nextBeginning } from "../../domain/time-buckets.ts";
import type { TimeBucket } from "../../domain/time-buckets.ts";
import { earliestTime, latestTime } from "../../domain/times.ts";
import { readTimeSpan } from "../messages/given-time.ts";

/** A range of time as a caller writes it. Parameters that failed their schema are left out. */
export interface GivenRange {
  readonly targetId?: string | undefined;
  readonly minTime?: string | undefined;
  readonly maxTime?: string | undefined;
  readonly bucket?: TimeBucket | undefined;
  readonly problems: readonly Problem[];
}

export interface BucketRange {
  readonly bucket: TimeBucket;
  /** When the first bucket begins. */
  readonly from: Instant;
  /** When the last one ends. */
  readonly until: Instant;
}

/** Enough for a day of minutes, two months of hours or four years of days. */
const mostBuckets = 1_500;

const { hour, day } = bucketMs;

const usualSpanMs: Readonly<Record<TimeBucket, number>> = {
  minute: hour,
  hour: day,
  day: 30 * day,
};

/** Where a range begins or ends that is given in part. */
interface Anchor {
  readonly now: Instant;
  /** Whether it begins now, or ends now. */
  readonly begins: boolean;
  readonly usualBucket: TimeBucket;
}

/** Reads a range of whole buckets. Adds to `problems` if it cannot be read, or is too long. */
export function readRange(
  given: GivenRange,
  { now, begins, usualBucket }: Anchor,
  problems: Problem[],
): BucketRange {
  const { minTime: givenMin, maxTime } = readTimeSpan(given, problems);
  // What begins now has nothing before it.
  const minTime = begins ? Math.max(givenMin ?? now, now) : givenMin;
  const isGiven = (begins ? maxTime : minTime) !== null;
  const bucket =
    given.bucket ?? (isGiven ? bucketFor((maxTime ?? now) - (minTime ?? now)) : usualBucket);
  const spanMs = usualSpanMs[bucket];
  const first = minTime ?? (maxTime ?? now) - spanMs;
  const last = maxTime ?? (begins ? first + spanMs : now);
  // Times before and after these cannot be written.
  const from = Math.max(earliestTime, beginningOf(first, bucket));
  const end = Math.min(nextBeginning(last, bucket), beginningOf(latestTime, bucket));
  const until = Math.max(from, end);
  if ((until - from) / bucketMs[bucket] > mostBuckets) {
    problems.push({
      code: codes.invalidRequest,
      message: `An answer has at most ${mostBuckets} buckets. Choose a longer bucket, or a shorter time.`,
      field: given.maxTime === undefined ? "minTime" : "maxTime",
    });
  }
  return { bucket, from, until };
}

function bucketFor(lengthMs: number): TimeBucket {
  if (lengthMs <= 3 * hour) return "minute";
  return lengthMs <= 4 * day ? "hour" : "day";
}

/** Adds to `problems` if this is no id of a target: some stores cannot search for such text. */
export function readTargetId(text: string | undefined, problems: Problem[]): string | null {
  if (text === undefined) return null;
  if (!targetIdPattern.test(text)) {
    problems.push({
      code: codes.invalidRequest,
      message: "This is no id of a target: it has 1 to 64 of A-Z, a-z, 0-9, '_', '-'.",
      field: "targetId",
    });
  }
  return text;
}
