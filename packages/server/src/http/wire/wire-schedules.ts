import type { MessageOptions } from "../../domain/message-options.ts";
import { runsLeftOf } from "../../domain/schedules/runs-left.ts";
import type { Pause } from "../../domain/schedules/schedule.ts";
import { formatTime } from "../../domain/times.ts";
import type { ListedSchedule, RunView, ScheduleView } from "../../operations/operations.ts";
import { timeOrNull, valuesHidden } from "./wire-messages.ts";
import { wireRetryPolicy } from "./wire-retry-policy.ts";

/** A schedule as the API shows it, without what only the service needs to go on. */
export function wireSchedule(schedule: ScheduleView) {
  return {
    ...wireListedSchedule(schedule),
    payload: schedule.payload,
    skips: schedule.skips.map((time) => formatTime(time)),
  };
}

/** The same in a list. A page of long payloads would be megabytes that few callers look at. */
export function wireListedSchedule(schedule: ListedSchedule) {
  const { scheduleId, pause, lastRun, progress } = schedule;
  return {
    scheduleId,
    targetId: schedule.targetId,
    cron: schedule.cron && [...schedule.cron],
    everyMs: schedule.everyMs,
    at: schedule.at && [...schedule.at],
    timeZone: schedule.timeZone,
    startTime: timeOrNull(schedule.startTime),
    endTime: timeOrNull(schedule.endTime),
    maxRuns: schedule.maxRuns,
    except: [...schedule.except],
    message: wireRunOptions(schedule.message ?? {}),
    flexWindowMs: schedule.flexWindowMs,
    overlap: schedule.overlap,
    catchUp: schedule.catchUp,
    pauseAfterDeadLetters: schedule.pauseAfterDeadLetters,
    nextRunTime: timeOrNull(schedule.nextRunTime),
    runsLeft: runsLeftOf(schedule),
    waitsForMessageId: progress.isQueueing ? progress.earlierMessageId : null,
    lastRun: lastRun && wireRun(scheduleId, lastRun),
    paused: pause !== null,
    pause: pause && wirePause(pause),
    revision: schedule.revision,
    creationTime: formatTime(schedule.creationTime),
    updateTime: formatTime(schedule.updateTime),
  };
}

function wirePause({ time, note, until, reason }: Pause) {
  return { time: formatTime(time), note, until: timeOrNull(until), reason };
}

/** Only what is set, as messages show it. */
function wireRunOptions(options: MessageOptions) {
  const { labels, retryPolicy, notAfterMs, headers, contentType, timeoutMs } = options;
  return {
    ...(labels !== undefined && { labels }),
    ...(retryPolicy !== undefined && { retryPolicy: wireRetryPolicy(retryPolicy) }),
    ...(notAfterMs !== undefined && { notAfterMs }),
    ...(headers !== undefined && { headers: valuesHidden(headers.names) }),
    ...(contentType !== undefined && { contentType }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

export function wireRun(scheduleId: string, run: RunView) {
  return { scheduleId, ...run, runTime: formatTime(run.runTime) };
}
