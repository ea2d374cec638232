import type { Instant } from "../../../src/domain/message.ts";
import type { Run } from "../../../src/domain/schedules/run.ts";
import type { ScheduleDefinition } from "../../../src/domain/schedules/schedule.ts";
import type { ScheduleChange } from "../../../src/domain/schedules/steps.ts";

/** What was committed about a schedule, by the store's clock. Rows go with their schedule; this stays. */
export type ScheduleEvent = { readonly scheduleKey: number; readonly at: Instant } & (
  | {
      readonly kind: "created";
      readonly accountId: string;
      readonly scheduleId: string;
      readonly definition: ScheduleDefinition;
    }
  | { readonly kind: "changed"; readonly change: ScheduleChange }
  /** Too many of its runs became dead letters. */
  | { readonly kind: "paused itself" }
  /** Rows that were written, and times whose rows went. */
  | { readonly kind: "runs"; readonly runs: readonly Run[]; readonly undone: readonly Instant[] }
  /** A caller has moved the message of a run, which was never attempted. */
  | { readonly kind: "moved"; readonly messageId: string; readonly to: Instant }
  /** A caller has brought back the message of a run, which had ended. */
  | { readonly kind: "revived"; readonly messageId: string }
  | { readonly kind: "removed" }
);
