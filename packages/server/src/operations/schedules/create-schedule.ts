import type { Caller } from "../../domain/access.ts";
import type { Problem } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import type { ScheduleDefinition } from "../../domain/schedules/schedule.ts";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { CreateScheduleResult, ScheduleView, Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { checkSchedule } from "./check-schedule.ts";
import type { CheckScheduleOptions } from "./check-schedule.ts";
import type { GivenSchedule } from "./given-schedule.ts";
import { noteRuns } from "./note-runs.ts";
import type { ScheduleControl } from "./note-runs.ts";
import { creationRefusal } from "./schedule-problems.ts";
import { badScheduleId } from "./schedule-ref.ts";

export interface CreateScheduleOptions extends CheckScheduleOptions {
  readonly store: Pick<Store, "createSchedule" | "getTarget" | "clock">;
  readonly delivery: ScheduleControl;
  readonly random: Random;
}

export interface GivenNewSchedule extends GivenSchedule {
  readonly scheduleId?: string | undefined;
}

export async function createSchedule(
  options: CreateScheduleOptions,
  caller: Caller,
  given: GivenNewSchedule,
  formProblems: readonly Problem[] = [],
): Promise<ScheduleView> {
  const scheduleId = given.scheduleId ?? `sch_${encodeBase32(options.random.bytes(13)).slice(-20)}`;
  const problems = scheduleIdPattern.test(scheduleId)
    ? formProblems
    : [...formProblems, badScheduleId];
  const definition = await checkSchedule(options, caller.accountId, given, problems);
  const result = await makeSchedule(options, caller, scheduleId, definition);
  if (result.kind === "created") return result.schedule;
  throw creationRefusal(result, scheduleId, definition, options.store.clock.now());
}

/** Creates it in the store, and tells the engine. */
export async function makeSchedule(
  { store, delivery, random }: Pick<CreateScheduleOptions, "store" | "delivery" | "random">,
  caller: Caller,
  scheduleId: string,
  definition: ScheduleDefinition,
): Promise<CreateScheduleResult> {
  const { accountId } = caller;
  const note = auditNote(random, caller, {
    action: "schedule.created",
    accountId,
    subjectId: scheduleId,
    detail: { targetId: definition.targetId },
  });
  const result = await store.createSchedule({ accountId, scheduleId, definition }, note);
  if (result.kind === "created") noteRuns(delivery, result);
  return result;
}
