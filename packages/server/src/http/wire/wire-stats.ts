import { activityBoundsMs } from "../../domain/activity.ts";
import { formatTime } from "../../domain/times.ts";
import type { Activity } from "../../operations/stats/get-activity.ts";
import type { Forecast } from "../../operations/stats/get-forecast.ts";
import type { BucketRange } from "../../operations/stats/given-range.ts";
import type { Count, Stats } from "../../operations/stats/get-stats.ts";
import type { TargetStats } from "../../operations/stats/list-target-stats.ts";
import type { DeadLetterGroupList } from "../../operations/stats/list-dead-letter-groups.ts";
import { wireMessage } from "./wire-messages.ts";

export function wireStats(stats: Stats) {
  return {
    pending: wireCount(stats.pending),
    overdue: wireCount(stats.overdue),
    dueInMinute: wireCount(stats.dueInMinute),
    dueInHour: wireCount(stats.dueInHour),
    dueInDay: wireCount(stats.dueInDay),
    deadLetters: wireCount(stats.deadLetters),
  };
}

function wireCount({ value, exact, asOf }: Count) {
  return { value, exact, asOf: formatTime(asOf) };
}

export function wireActivity({ total, items, ...range }: Activity) {
  return {
    ...wireRange(range),
    boundsMs: [...activityBoundsMs],
    total: wireCounts(total),
    items: items.map(({ time, ...counts }) => ({ time: formatTime(time), ...wireCounts(counts) })),
  };
}

function wireCounts({ attempts, outcomes, durations, lateness }: Activity["total"]) {
  const histogram = ({ counts, p50Ms, p99Ms }: typeof durations) => ({
    counts: [...counts],
    p50Ms,
    p99Ms,
  });
  return {
    attempts,
    outcomes: { ...outcomes },
    durations: histogram(durations),
    lateness: histogram(lateness),
  };
}

export function wireForecast(forecast: Forecast) {
  const { exact, runsExact, counting, asOf, overdue, items, ...range } = forecast;
  return {
    ...wireRange(range),
    ...{ exact, runsExact, counting, asOf: formatTime(asOf), overdue },
    items: items.map(({ time, messages, runs }) => ({ time: formatTime(time), messages, runs })),
  };
}

function wireRange(range: BucketRange & { readonly targetId: string | null }) {
  const { targetId, bucket, from, until } = range;
  return { targetId, bucket, minTime: formatTime(from), maxTime: formatTime(until) };
}

export function wireGroups({ exact, asOf, items }: DeadLetterGroupList) {
  return {
    exact,
    asOf: formatTime(asOf),
    items: items.map(({ reason, statusCode, firstTime, lastTime, sample, ...group }) => ({
      ...group,
      deadLetterReason: reason,
      lastStatusCode: statusCode,
      firstTime: formatTime(firstTime),
      lastTime: formatTime(lastTime),
      sample: wireMessage(sample),
    })),
  };
}

export function wireTargetStats({ waiting, deadLetters, lastHour, ...stats }: TargetStats) {
  return {
    ...stats,
    waiting: wireCount(waiting),
    deadLetters: wireCount(deadLetters),
    lastHour: { ...lastHour },
  };
}
