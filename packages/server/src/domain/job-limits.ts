import type { Instant } from "./instant.ts";

/** How many jobs of an account may run or be paused at once, so that others get their turns. */
export const mostLiveJobs = 50;

/** How many jobs of an account are kept, the newest. Those that have not ended always are. */
export const mostKeptJobs = 1_000;

/** How many jobs an account may start within a minute: each leaves a record and two entries in the audit log. */
export const mostStartedJobs = 100;
const startsWithinMs = 60_000;

/**
 * How long the account must wait until it may start a job; 0: not at all. `earlier` is when it created the last
 * of `mostStartedJobs` before this one, undefined if there are not so many. A clock that was set back makes
 * nobody wait.
 */
export function jobStartOpensIn(earlier: Instant | undefined, now: Instant): number {
  if (earlier === undefined || earlier > now) return 0;
  return Math.max(0, earlier + startsWithinMs - now);
}
