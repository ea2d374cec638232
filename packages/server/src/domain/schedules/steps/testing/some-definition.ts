import { dayMs } from "../../../calendar.ts";
import type { ScheduleDefinition } from "../../schedule.ts";

/** Every minute in UTC, unless something else is given. */
export function someDefinition(given: Partial<ScheduleDefinition> = {}): ScheduleDefinition {
  const isOther = given.everyMs != null || given.at != null;
  return {
    targetId: "mail",
    payload: "hello",
    message: null,
    cron: isOther ? null : ["* * * * *"],
    everyMs: null,
    at: null,
    timeZone: "UTC",
    startTime: null,
    endTime: null,
    maxRuns: null,
    except: [],
    flexWindowMs: 0,
    overlap: "allow",
    catchUp: { mode: "last", windowMs: 365 * dayMs },
    pauseAfterDeadLetters: null,
    ...given,
  };
}
