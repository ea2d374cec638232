import type { Instant } from "../../instant.ts";
import { mostQueueGaps, onTimeMs } from "../limits.ts";
import type { QueueGap, ScheduleProgress } from "../schedule.ts";

/** The spans in which nobody looked while run times waited, with the one that ends now. */
export function queueGapsOf(progress: ScheduleProgress, now: Instant): readonly QueueGap[] {
  const { isQueueing, queueLookTime, queueGaps = [], cursor } = progress;
  if (!isQueueing || queueLookTime === undefined) return [];
  const gap = { after: queueLookTime, before: now - onTimeMs };
  const gaps = gap.before > gap.after ? [...queueGaps, gap] : queueGaps;
  return gaps.filter(({ before }) => before > cursor).slice(-mostQueueGaps);
}

/** What waited is not late. What came while nobody looked is, as without a queue. */
export function isMissedTime(
  { isQueueing }: ScheduleProgress,
  gaps: readonly QueueGap[],
  time: Instant,
  now: Instant,
): boolean {
  if (!isQueueing) return now - time > onTimeMs;
  return gaps.some(({ after, before }) => after < time && time < before);
}

/** What to remember of a look, for the next one. */
export function queueMemory(
  isQueueing: boolean,
  gaps: readonly QueueGap[],
  now: Instant,
): Pick<ScheduleProgress, "isQueueing" | "queueLookTime" | "queueGaps"> {
  if (!isQueueing) return { isQueueing };
  return { isQueueing, queueLookTime: now, ...(gaps.length > 0 && { queueGaps: gaps }) };
}
