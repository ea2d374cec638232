import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { ScheduleView, Store } from "../../storage/store.ts";
import { scheduleNotFound, scheduleRef } from "./schedule-ref.ts";
import { shownSchedule } from "./shown-schedule.ts";

export async function getSchedule(
  { store }: { readonly store: Pick<Store, "getSchedule" | "clock"> },
  caller: Caller,
  scheduleId: string,
): Promise<ScheduleView> {
  const schedule = await store.getSchedule(scheduleRef(caller, scheduleId));
  if (schedule === undefined) throw new RequestRefused(scheduleNotFound);
  return shownSchedule(schedule, store.clock.now());
}
