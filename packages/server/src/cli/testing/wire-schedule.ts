import type { Schedule, ScheduleRun } from "@postdate/client";
import { messageId } from "./samples.ts";

export function wireSchedule(changes: Partial<Schedule> = {}): Schedule {
  return {
    scheduleId: "digest",
    targetId: "mail",
    payload: "",
    message: {},
    cron: ["0 9 * * MON-FRI"],
    everyMs: null,
    at: null,
    timeZone: "Europe/Berlin",
    startTime: null,
    endTime: null,
    maxRuns: null,
    except: [],
    flexWindowMs: 0,
    overlap: "allow",
    catchUp: { mode: "last", windowMs: 31_536_000_000 },
    pauseAfterDeadLetters: null,
    nextRunTime: "2026-03-27T08:00:00.000Z",
    runsLeft: null,
    waitsForMessageId: null,
    lastRun: null,
    paused: false,
    pause: null,
    revision: 1,
    creationTime: "2026-03-26T12:00:00.000Z",
    updateTime: "2026-03-26T12:00:00.000Z",
    skips: [],
    ...changes,
  };
}

export function wireRun(changes: Partial<ScheduleRun> = {}): ScheduleRun {
  return {
    scheduleId: "digest",
    runTime: "2026-03-26T08:00:00.000Z",
    trigger: "TIME",
    outcome: "CREATED",
    reason: null,
    messageId,
    messageState: "DELIVERED",
    ...changes,
  };
}
