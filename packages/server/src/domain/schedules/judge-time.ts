import type { Instant } from "../instant.ts";

const soonestMs = 5_000;
const latestMs = 600_000;

/**
 * When to look again at the message of a run that has not ended. A message that waits for long, because its target
 * is paused or answers nothing, is looked at ever less often.
 */
export function nextJudgeTime(dueAt: Instant, now: Instant): Instant {
  return now + Math.min(Math.max(Math.floor((now - dueAt) / 4), soonestMs), latestMs);
}
