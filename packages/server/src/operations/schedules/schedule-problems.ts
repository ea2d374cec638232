import type { Instant } from "../../domain/instant.ts";
import { codes, RequestLimited, RequestRefused } from "../../domain/refusals.ts";
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

export function creationRefusal(
  { kind }: Refused<CreateScheduleResult>,
  scheduleId: string,
  definition: ScheduleDefinition,
  now: Instant,
): RequestRefused {
  if (kind === "older-time-zones") return olderTimeZones();
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
  return new RequestRefused(problems[kind]);
}

export function changeRefusal(
  { kind }: Refused<ChangeScheduleResult>,
  change: ScheduleChange,
  now: Instant,
): RequestRefused {
  if (kind === "older-time-zones") return olderTimeZones();
  return new RequestRefused(changeProblem(kind, change, now));
}

function changeProblem(
  kind: Exclude<Refused<ChangeScheduleResult>["kind"], "older-time-zones">,
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

/** Another node can answer. How long nodes differ depends on how long an upgrade takes. */
const askAgainMs = 1_000;

function olderTimeZones(): RequestLimited {
  return new RequestLimited(askAgainMs, {
    code: codes.unavailable,
    message:
      "The node that answers has older time-zone data than another one, so it computes no run times, and nothing was changed. Send the request again in a moment: another node may take it.",
  });
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
