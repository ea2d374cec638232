import { placeBetween } from "../../edges.ts";
import type { Instant } from "../../instant.ts";
import { runsLeftOf } from "../runs-left.ts";
import type { ForecastSchedule } from "./runs-to-come.ts";

/** Whether the runs of a schedule are at equal distances, so that nobody has to look at each. */
export function isEven({ everyMs, except, flexWindowMs }: ForecastSchedule): boolean {
  return everyMs !== null && except.length === 0 && flexWindowMs === 0;
}

/** How many runs to come of a schedule with an interval lie between each pair of edges. */
export function intervalCounts(schedule: ForecastSchedule, edges: readonly Instant[]): number[] {
  const { everyMs, nextRunTime, endTime, skips } = schedule;
  if (everyMs === null || nextRunTime === null) return edges.slice(1).map(() => 0);
  const most = runsLeftOf(schedule) ?? Infinity;
  const calledOff = skips.filter(
    (time) => time >= nextRunTime && (time - nextRunTime) % everyMs === 0,
  );
  const before = (edge: Instant): number => {
    const bound = Math.min(edge, (endTime ?? Infinity) + 1);
    if (bound <= nextRunTime) return 0;
    const skipped = placeBetween(calledOff, bound - 1) + 1;
    return Math.min(most, Math.ceil((bound - nextRunTime) / everyMs) - skipped);
  };
  const sums = edges.map(before);
  return sums.slice(1).map((sum, place) => sum - sums[place]!);
}
