import type { Schedule } from "./schedule.ts";

/** How many more runs `maxRuns` lets the schedule make by time; null: it has no such bound. */
export function runsLeftOf({
  maxRuns,
  progress,
}: Pick<Schedule, "maxRuns" | "progress">): number | null {
  return maxRuns === null ? null : Math.max(0, maxRuns - progress.madeRuns);
}
