import type { Instant } from "../../instant.ts";
import type { Run } from "../run.ts";
import type { Schedule } from "../schedule.ts";
import { isMadeByTime } from "./draft.ts";

/**
 * When to look for the first time whether the message of a run has ended; null: that does not count. Only runs by
 * time count for `pauseAfterDeadLetters`.
 */
export function firstJudgeTime(
  run: Run,
  { pauseAfterDeadLetters }: Pick<Schedule, "pauseAfterDeadLetters">,
  dueAt: Instant,
): Instant | null {
  return pauseAfterDeadLetters !== null && isMadeByTime(run) ? dueAt : null;
}
