import type { Caller } from "../../domain/access.ts";
import type { MessageOptions } from "../../domain/message-options.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { ScheduleDefinition } from "../../domain/schedules/schedule.ts";
import type { ScheduleView, Store } from "../../storage/store.ts";
import type { ChangesInTurn } from "../changes/changes-in-turn.ts";
import { changeSchedule } from "./change-schedule.ts";
import type { ChangeScheduleOptions } from "./change-schedule.ts";
import { refuse } from "./check-schedule.ts";
import type { CheckScheduleOptions } from "./check-schedule.ts";
import { refuseAbbreviation } from "./given-recurrence.ts";
import { headersOfAnotherTarget, readRunOptions } from "./given-run-options.ts";
import { merged, readDefinition } from "./given-schedule.ts";
import type { GivenSchedule } from "./given-schedule.ts";
import { isDefinedAs } from "./is-defined-as.ts";
import { scheduleNotFound, scheduleRef } from "./schedule-ref.ts";
import { shownSchedule } from "./shown-schedule.ts";

export interface UpdateScheduleOptions extends ChangeScheduleOptions, CheckScheduleOptions {
  readonly store: Pick<Store, "changeSchedule" | "getSchedule" | "getTarget" | "clock">;
  readonly changesInTurn: Pick<ChangesInTurn, "make">;
}

/** Reads a schedule, merges the changes and applies them only if it is still what was read. */
export async function updateSchedule(
  options: UpdateScheduleOptions,
  caller: Caller,
  scheduleId: string,
  changes: GivenSchedule,
  formProblems: readonly Problem[] = [],
): Promise<ScheduleView> {
  const ref = scheduleRef(caller, scheduleId);
  const fields = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  let schedule = await options.store.getSchedule(ref);
  return options.changesInTurn.make(`schedule ${scheduleId} of ${caller.accountId}`, async () => {
    if (schedule === undefined) throw new RequestRefused(scheduleNotFound);
    const definition = await changedDefinition(options, schedule, changes, formProblems);
    if (isDefinedAs(schedule, definition, options.secretBox)) {
      return shownSchedule(schedule, options.store.clock.now());
    }
    const change = { kind: "define", definition, ifRevision: schedule.revision } as const;
    const result = await changeSchedule(options, caller, scheduleId, change, { fields });
    schedule = result.schedule;
    return result.kind === "changed" ? schedule : undefined;
  });
}

async function changedDefinition(
  { store, timeZones, secretBox }: CheckScheduleOptions,
  schedule: ScheduleView,
  changes: GivenSchedule,
  formProblems: readonly Problem[],
): Promise<ScheduleDefinition> {
  const problems = [...formProblems];
  refuseAbbreviation(timeZones, changes, problems);
  const given = merged(schedule, changes);
  const movesOn = given.targetId !== schedule.targetId;
  const kept = movesOn ? null : schedule.message;
  const message: MessageOptions | null =
    changes.message === undefined
      ? schedule.message
      : readRunOptions(changes.message, { problems, secretBox, kept });
  const keepsHeaders = changes.message === undefined && schedule.message?.headers !== undefined;
  if (movesOn && keepsHeaders) problems.push(headersOfAnotherTarget);
  const definition = readDefinition(given, { timeZones, problems, message });
  return definition ?? refuse(store, schedule.accountId, changes.targetId, problems);
}
