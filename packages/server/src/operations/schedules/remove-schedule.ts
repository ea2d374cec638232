import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { ScheduleView, Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { scheduleNotFound, scheduleRef } from "./schedule-ref.ts";
import { shownSchedule } from "./shown-schedule.ts";

export interface RemoveScheduleOptions {
  readonly store: Pick<Store, "removeSchedule" | "clock">;
  readonly random: Random;
}

/** Answers with the schedule as it was. */
export async function removeSchedule(
  { store, random }: RemoveScheduleOptions,
  caller: Caller,
  scheduleId: string,
): Promise<ScheduleView> {
  const ref = scheduleRef(caller, scheduleId);
  const note = auditNote(random, caller, {
    ...{ action: "schedule.removed", accountId: caller.accountId, subjectId: scheduleId },
  });
  const removed = await store.removeSchedule(ref, note);
  if (removed === undefined) throw new RequestRefused(scheduleNotFound);
  return shownSchedule(removed, store.clock.now());
}
