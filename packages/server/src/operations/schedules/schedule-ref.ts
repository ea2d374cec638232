import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import type { ScheduleRef } from "../../storage/store.ts";

/** Refuses an id that no schedule can have before the store sees it. Some stores fail on such a text. */
export function scheduleRef({ accountId }: Caller, scheduleId: string): ScheduleRef {
  if (!scheduleIdPattern.test(scheduleId)) throw new RequestRefused(scheduleNotFound);
  return { accountId, scheduleId };
}

export const scheduleNotFound: Problem = {
  code: codes.scheduleNotFound,
  message: "There is no such schedule. Correct the scheduleId, or list the schedules.",
};

export const badScheduleId: Problem = {
  code: codes.invalidRequest,
  message: "scheduleId must be 1 to 64 letters, digits, _ and -.",
  field: "scheduleId",
};
