import type { DeadLetterReason } from "../../domain/end-reason.ts";
import { defaultRates, defaultStopAfterFailures } from "../../domain/job.ts";
import type { JobAction, JobFilter, JobOrder } from "../../domain/job.ts";
import { labelTexts, scheduleText } from "../../domain/message-options.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import { checkLabels } from "../messages/given-options.ts";
import { readGivenTime, readTimeSpan } from "../messages/given-time.ts";
import type { GivenTimeSpan } from "../messages/given-time.ts";

/** A job as a caller gives it. Fields that failed their schema are left out. */
export interface GivenJob {
  /** A backfill has an operation of its own. */
  readonly action?: Exclude<JobAction, "backfill"> | undefined;
  readonly filter?: GivenJobFilter | undefined;
  readonly deliveryTime?: string | undefined;
  readonly byMs?: number | undefined;
  readonly ratePerSecond?: number | undefined;
  readonly maxMessages?: number | undefined;
  readonly stopAfterFailures?: number | undefined;
  readonly note?: string | undefined;
  /** Of a count. */
  readonly pageToken?: string | undefined;
}

export interface GivenJobFilter extends GivenTimeSpan {
  readonly targetId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly keyPrefix?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly deadLetterReason?: DeadLetterReason | undefined;
  readonly lastStatusCode?: number | undefined;
}

/** Adds to `problems` what does not fit together. Undefined: there are problems. */
export function readOrder(given: GivenJob, problems: Problem[]): JobOrder | undefined {
  const { action, ratePerSecond, maxMessages = null, note = null, byMs = null } = given;
  problems.push(...misplacedFields(given, problems));
  if (action === "shift" && byMs === 0) problems.push(noDistance);
  const deliveryTime = readGivenTime(given.deliveryTime, "deliveryTime", problems) ?? null;
  const filter = readFilter(given.filter, problems);
  if (problems.length > 0 || action === undefined) return undefined;
  const redrives = action === "redrive";
  return {
    action,
    filter,
    deliveryTime,
    byMs,
    ratePerSecond: ratePerSecond ?? defaultRates[action],
    maxMessages,
    stopAfterFailures: redrives ? (given.stopAfterFailures ?? defaultStopAfterFailures) : null,
    note,
    removesTarget: false,
  };
}

function readFilter(given: GivenJobFilter = {}, problems: Problem[]): JobFilter {
  const { targetId = null, labels = {}, keyPrefix = null, scheduleId } = given;
  const times = readTimeSpan(given, problems, "filter.");
  checkLabels(labels, problems, "filter.labels");
  if (scheduleId !== undefined && !scheduleIdPattern.test(scheduleId)) problems.push(noSchedule);
  const texts = [
    ...labelTexts({ labels }),
    ...(scheduleId === undefined ? [] : [scheduleText(scheduleId)]),
  ];
  const isPlaceless = targetId === null && texts.length === 0;
  if (isPlaceless && !problems.some(isOf("filter", ...places))) problems.push(nowhere);
  return {
    targetId,
    ...times,
    labels: texts.toSorted(),
    keyPrefix,
    deadLetterReason: given.deadLetterReason ?? null,
    lastStatusCode: given.lastStatusCode ?? null,
  };
}

/** A filter needs one of these, so that a job need not walk over everything. */
const places = ["filter.targetId", "filter.labels", "filter.scheduleId"];

/** Fields that only one action takes, and whether it needs them. */
const ofOneAction: readonly (readonly [field: string, action: JobAction, isNeeded: boolean])[] = [
  ["deliveryTime", "reschedule", true],
  ["byMs", "shift", true],
  ["stopAfterFailures", "redrive", false],
  ["filter.deadLetterReason", "redrive", false],
  ["filter.lastStatusCode", "redrive", false],
];

function misplacedFields(given: GivenJob, problems: readonly Problem[]): Problem[] {
  const { action } = given;
  if (action === undefined) return [];
  return ofOneAction.flatMap(([field, only, isNeeded]) => {
    const isGiven = valueAt(given, field) !== undefined;
    if (isGiven && action !== only) {
      return [problem(field, `Leave out ${field}: only the action ${only} takes it.`)];
    }
    const isMissing = isNeeded && action === only && !isGiven;
    return isMissing && !problems.some(isOf(field))
      ? [problem(field, `${field} is missing: the action ${only} needs it.`)]
      : [];
  });
}

function valueAt(given: GivenJob, field: string): unknown {
  const inFilter = field.startsWith("filter.");
  const place: object = inFilter ? (given.filter ?? {}) : given;
  return (place as Record<string, unknown>)[inFilter ? field.slice("filter.".length) : field];
}

/** Whether a problem is about one of these fields, a part of it, or the whole request. */
function isOf(...names: readonly string[]) {
  return ({ field }: Problem): boolean =>
    field === undefined || names.some((name) => field === name || field.startsWith(`${name}.`));
}

function problem(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}

const noDistance = problem(
  "byMs",
  "byMs must not be 0. Give how far to move the messages: a negative number moves them to earlier times.",
);

const nowhere = problem(
  "filter.targetId",
  "filter.targetId is missing. Give it, or give filter.labels or filter.scheduleId.",
);

const noSchedule = problem(
  "filter.scheduleId",
  "This is no id of a schedule: it has 1 to 64 of A-Z, a-z, 0-9, '_', '-'.",
);
