import type { Caller } from "../../domain/access.ts";
import type { AuditAction, AuditDetail } from "../../domain/audit.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { ScheduleChange } from "../../domain/schedules/steps.ts";
import { formatTime } from "../../domain/times.ts";
import type { Random } from "../../platform/random.ts";
import type { ChangeScheduleResult, RunView, ScheduleView, Store } from "../../storage/store.ts";
import { auditNote, cut } from "../audit/audit-note.ts";
import { readGivenTime } from "../messages/given-time.ts";
import { noteRuns } from "./note-runs.ts";
import type { ScheduleControl } from "./note-runs.ts";
import { changeRefusal } from "./schedule-problems.ts";
import { scheduleRef } from "./schedule-ref.ts";

export interface ChangeScheduleOptions {
  readonly store: Pick<Store, "changeSchedule" | "clock">;
  readonly delivery: ScheduleControl;
  readonly random: Random;
}

export interface GivenPause {
  readonly note?: string | null | undefined;
  readonly until?: string | null | undefined;
}

/** A schedule that is paused already gets the new note and end. */
export async function pauseSchedule(
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
  given: GivenPause,
  formProblems: readonly Problem[] = [],
): Promise<ScheduleView> {
  const problems = [...formProblems];
  const note = given.note ?? null;
  const until = readGivenTime(given.until ?? undefined, "until", problems) ?? null;
  if (until !== null && until <= options.store.clock.now()) problems.push(untilInThePast);
  if (problems.length > 0) throw new RequestRefused(...problems);
  const change = { kind: "pause", note, until } as const;
  return (await made(options, caller, scheduleId, change)).schedule;
}

/** Resuming a schedule that is not paused is no error. */
export async function resumeSchedule(
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
): Promise<ScheduleView> {
  return (await made(options, caller, scheduleId, { kind: "resume" })).schedule;
}

type ChangeRun = (
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
  time: string,
) => Promise<ScheduleView>;

export const skipRun: ChangeRun = (...given) => changeRun("skip", ...given);

export const unskipRun: ChangeRun = (...given) => changeRun("unskip", ...given);

async function changeRun(
  kind: "skip" | "unskip",
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
  text: string,
): Promise<ScheduleView> {
  const problems: Problem[] = [];
  const time = readGivenTime(text, "time", problems);
  if (time === undefined) throw new RequestRefused(...problems);
  return (await made(options, caller, scheduleId, { kind, time })).schedule;
}

/** One run now, beside those by time. */
export async function triggerSchedule(
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
): Promise<RunView> {
  const { run } = await made(options, caller, scheduleId, { kind: "trigger" });
  if (run === null) throw new Error("the store triggered a schedule and gave no run");
  return run;
}

type Changed = Extract<ChangeScheduleResult, { readonly kind: "changed" }>;
type Revised = Extract<ChangeScheduleResult, { readonly kind: "revised" }>;

async function made(
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
  change: ScheduleChange,
): Promise<Changed> {
  const result = await changeSchedule(options, caller, scheduleId, change);
  if (result.kind === "revised") throw new Error("only a definition depends on a revision");
  return result;
}

/** Makes the change, or refuses it. */
export async function changeSchedule(
  options: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
  change: ScheduleChange,
  detail?: AuditDetail,
): Promise<Changed | Revised> {
  const result = await tryToChange(options, caller, scheduleId, change, detail);
  if (result.kind === "changed" || result.kind === "revised") return result;
  throw changeRefusal(result, change, options.store.clock.now());
}

/** Makes the change and tells the engine. */
export async function tryToChange(
  { store, delivery, random }: ChangeScheduleOptions,
  caller: Caller,
  scheduleId: string,
  change: ScheduleChange,
  detail: AuditDetail = detailOf(change),
): Promise<ChangeScheduleResult> {
  const { accountId } = caller;
  const note = auditNote(random, caller, {
    ...{ action: actions[change.kind], accountId, subjectId: scheduleId, detail },
  });
  const result = await store.changeSchedule(scheduleRef(caller, scheduleId), change, note);
  if (result.kind === "changed") noteRuns(delivery, result);
  return result;
}

const actions: Readonly<Record<ScheduleChange["kind"], AuditAction>> = {
  define: "schedule.updated",
  pause: "schedule.paused",
  resume: "schedule.resumed",
  skip: "schedule.skipped",
  unskip: "schedule.unskipped",
  trigger: "schedule.triggered",
};

function detailOf(change: ScheduleChange): AuditDetail {
  if (change.kind === "define") return { targetId: change.definition.targetId };
  if (change.kind === "pause") {
    const { note, until } = change;
    return {
      note: note === null ? null : cut(note, 200),
      until: until === null ? null : formatTime(until),
    };
  }
  return "time" in change ? { time: formatTime(change.time) } : {};
}

const untilInThePast: Problem = {
  code: codes.invalidRequest,
  message:
    "until must be later than now. Give a later time, or leave it out to pause until a resume.",
  field: "until",
};
