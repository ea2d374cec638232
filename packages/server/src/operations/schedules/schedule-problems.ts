import type { Instant } from "../../domain/instant.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { mostSchedules, mostSkips } from "../../domain/schedules/limits.ts";
import type { ScheduleDefinition } from "../../domain/schedules/schedule.ts";
import type { ScheduleChange } from "../../domain/schedules/steps.ts";
import type { ChangeScheduleResult, CreateScheduleResult } from "../../storage/store.ts";
import { limitReached, noSuchTarget } from "../messages/message-draft.ts";
import { noOccurrence } from "./given-recurrence.ts";
import { scheduleNotFound } from "./schedule-ref.ts";

type Refused<Result extends { readonly kind: string }> = Exclude<
  Result,
  { readonly kind: "created" | "changed" | "revised" }
>;

export function creationProblem(
  { kind }: Refused<CreateScheduleResult>,
  scheduleId: string,
  definition: ScheduleDefinition,
  now: Instant,
): Problem {
  const problems: Record<typeof kind, Problem> = {
    exists: {
      code: codes.scheduleExists,
      message: `The schedule "${scheduleId}" exists already. Replace it with PUT, change it with PATCH, or choose another scheduleId.`,
      field: "scheduleId",
    },
    "no-target": noSuchTarget(definition.targetId),
    "too-many": tooMany,
    "no-occurrence": noOccurrence(definition, { since: now, endTime: definition.endTime }),
  };
  return problems[kind];
}

export function changeProblem(
  { kind }: Refused<ChangeScheduleResult>,
  change: ScheduleChange,
  now: Instant,
): Problem {
  if (kind === "not-found") return scheduleNotFound;
  if (kind === "over-quota") return limitReached;
  if (kind === "too-many-skips") return tooManySkips;
  if (change.kind === "define") {
    const { definition } = change;
    if (kind === "no-target") return noSuchTarget(definition.targetId);
    return noOccurrence(definition, { since: now, endTime: definition.endTime });
  }
  return change.kind === "unskip" ? notSkipped : notOpen;
}

const notOpen: Problem = {
  code: codes.noOpenOccurrence,
  message:
    "The schedule has no run to come at this time. Give the exact time of one, such as nextRunTime. POST /v1/schedules/preview lists more of them.",
  field: "time",
};

const notSkipped: Problem = {
  code: codes.noOpenOccurrence,
  message:
    "No run to come is skipped at this time. The field skips of the schedule lists those that are.",
  field: "time",
};

const tooMany: Problem = {
  code: codes.tooManySchedules,
  message: `This account has ${mostSchedules.toLocaleString("en")} schedules, as many as it may have. Remove those that are no longer used.`,
};

const tooManySkips: Problem = {
  code: codes.tooManySchedules,
  message: `This schedule has ${mostSkips.toLocaleString("en")} skipped runs to come, as many as it may have. To leave out more, use except, pause it, or set endTime.`,
};
