import type { Instant } from "../../instant.ts";
import type { Schedule } from "../schedule.ts";

/**
 * The schedule after messages of its runs have ended, in the order of their run times: whether each became a dead
 * letter, or was delivered. It is paused if so many in a row did. What it has made by then is delivered.
 */
export function judged(
  schedule: Schedule,
  isDeadLetter: readonly boolean[],
  now: Instant,
): Schedule {
  let deadLettersInARow = schedule.progress.deadLettersInARow;
  let isTooMany = false;
  for (const isDead of isDeadLetter) {
    deadLettersInARow = isDead ? deadLettersInARow + 1 : 0;
    isTooMany ||= deadLettersInARow >= (schedule.pauseAfterDeadLetters ?? Infinity);
  }
  const progress = { ...schedule.progress, deadLettersInARow };
  if (!isTooMany || schedule.pause !== null) return { ...schedule, progress };
  return {
    ...schedule,
    pause: { time: now, note: null, until: null, reason: "DEAD_LETTERS" },
    nextRunTime: null,
    progress: { ...progress, lookTime: null },
  };
}
