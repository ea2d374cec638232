import type { Run } from "../domain/schedules/run.ts";
import { PlannedMessages } from "./planned-messages.ts";
import type { PlannedTarget } from "./schedule-store.ts";

/** Counts what steps of schedules do. */
export class StepTally extends PlannedMessages<PlannedTarget> {
  readonly runs: Record<Run["outcome"], number> = { CREATED: 0, SKIPPED: 0, MISSED: 0 };
}
