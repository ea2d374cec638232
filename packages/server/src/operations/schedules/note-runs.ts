import type { PlannedRuns } from "../../storage/store.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";

export type ScheduleControl = Pick<DeliveryControl, "noteDue" | "noteBound" | "noteSchedule">;

/** Tells the engine of what a change of a schedule has planned, and that there is more to come. */
export function noteRuns(delivery: ScheduleControl, { planned, nextBound }: PlannedRuns): void {
  for (const { accountId, targetKey, dueAt } of planned) {
    delivery.noteDue(accountId, targetKey, dueAt);
  }
  if (nextBound !== null) delivery.noteBound(nextBound);
  delivery.noteSchedule();
}
