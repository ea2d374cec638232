import type { Instant } from "../../instant.ts";
import { Effort } from "../occurrences/effort.ts";
import { occurrencesOf } from "../occurrences/occurrences.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import type { RecurringDefinition } from "../occurrences/recurrence-of.ts";
import { runsLeftOf } from "../runs-left.ts";
import type { Schedule } from "../schedule.ts";
import { spreadTime } from "../steps/run-message.ts";

/** What of a schedule says when its runs to come are due. */
export type ForecastSchedule = RecurringDefinition &
  Pick<
    Schedule,
    "accountId" | "scheduleId" | "maxRuns" | "flexWindowMs" | "skips" | "nextRunTime" | "progress"
  >;

/** The first instant of interest, and the first one behind. */
export interface Span {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * When the messages of the runs to come are due, run by run, if nothing holds them up. It begins with the stored next
 * run: what comes before it is decided, and is a message already if it is to be one. Instants before the span are among
 * them, so that whoever takes them can pause between any two.
 */
export function* runsToCome(
  schedule: ForecastSchedule,
  recurrence: Recurrence,
  { from, until }: Span,
): Generator<Instant, void, undefined> {
  const { nextRunTime, flexWindowMs, skips } = schedule;
  if (nextRunTime === null) return;
  let left = runsLeftOf(schedule);
  // Where the number of runs is bounded, those before the span count too.
  const begin = left === null ? Math.max(nextRunTime, from - flexWindowMs) : nextRunTime;
  const times = timesFrom(nextRunTime, begin, {
    ...recurrence,
    // The run behind the last one bounds the window of that one.
    endTime: Math.min(recurrence.endTime ?? Infinity, until + flexWindowMs),
  });
  const calledOff = new Set(skips);
  let time = times.next().value ?? null;
  while (time !== null && time < until && left !== 0) {
    const following: Instant | null = times.next().value ?? null;
    if (!calledOff.has(time)) {
      yield spreadTime(schedule, time, () => following);
      if (left !== null) left--;
    }
    time = following;
  }
}

/** The next run time is stored, and stays what it is. Those after it are computed. */
function* timesFrom(
  nextRunTime: Instant,
  begin: Instant,
  recurrence: Recurrence,
): Generator<Instant, void, undefined> {
  if (nextRunTime >= begin) yield nextRunTime;
  const first = Math.max(nextRunTime + 1, begin);
  if (recurrence.endTime !== null && first > recurrence.endTime) return;
  // The end of the span bounds each search, and whoever takes the times bounds how many they are.
  for (const { time } of occurrencesOf(recurrence, first, new Effort(Infinity))) yield time;
}
