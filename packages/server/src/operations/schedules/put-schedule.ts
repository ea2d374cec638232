import type { Caller } from "../../domain/access.ts";
import type { Problem } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import { StoreUnavailable } from "../../storage/store.ts";
import type { ScheduleView, Store } from "../../storage/store.ts";
import { tryToChange } from "./change-schedule.ts";
import { checkSchedule } from "./check-schedule.ts";
import { makeSchedule } from "./create-schedule.ts";
import type { CreateScheduleOptions } from "./create-schedule.ts";
import type { GivenSchedule } from "./given-schedule.ts";
import { isDefinedAs } from "./is-defined-as.ts";
import { changeRefusal, creationRefusal } from "./schedule-problems.ts";
import { badScheduleId } from "./schedule-ref.ts";
import { shownSchedule } from "./shown-schedule.ts";

export interface PutScheduleOptions extends CreateScheduleOptions {
  readonly store: Pick<
    Store,
    "createSchedule" | "changeSchedule" | "getSchedule" | "getTarget" | "clock"
  >;
}

export interface PutSchedule {
  readonly schedule: ScheduleView;
  readonly isNew: boolean;
}

const mostTries = 10;

/**
 * Replaces the schedule as a whole, or creates it. Another caller may create or remove it between the two. The same
 * again changes nothing, so a program may put its schedules at each start.
 */
export async function putSchedule(
  options: PutScheduleOptions,
  caller: Caller,
  scheduleId: string,
  given: GivenSchedule,
  formProblems: readonly Problem[] = [],
): Promise<PutSchedule> {
  const problems = scheduleIdPattern.test(scheduleId)
    ? formProblems
    : [...formProblems, badScheduleId];
  const definition = await checkSchedule(options, caller.accountId, given, problems);
  const found = await options.store.getSchedule({ accountId: caller.accountId, scheduleId });
  if (found !== undefined && isDefinedAs(found, definition, options.secretBox)) {
    return { schedule: shownSchedule(found, options.store.clock.now()), isNew: false };
  }
  const change = { kind: "define", definition, ifRevision: null } as const;
  for (let tries = 0; tries < mostTries; tries++) {
    const changed = await tryToChange(options, caller, scheduleId, change);
    if (changed.kind === "changed") return { schedule: changed.schedule, isNew: false };
    if (changed.kind !== "not-found" && changed.kind !== "revised") {
      throw changeRefusal(changed, change, options.store.clock.now());
    }
    const result = await makeSchedule(options, caller, scheduleId, definition);
    if (result.kind === "created") return { schedule: result.schedule, isNew: true };
    if (result.kind !== "exists") {
      throw creationRefusal(result, scheduleId, definition, options.store.clock.now());
    }
  }
  throw new StoreUnavailable("the schedule was created and removed again and again");
}
