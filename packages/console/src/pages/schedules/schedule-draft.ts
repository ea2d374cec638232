import type { PreviewInput, Schedule } from "@postdate/client";
import { duration } from "../../time/time-text.ts";
import { readSpan } from "../../time/span.ts";

/** A schedule as somebody writes it: everything is text. */
export interface ScheduleDraft {
  readonly scheduleId: string;
  readonly targetId: string;
  readonly kind: "cron" | "every" | "at";
  /** One expression a line. */
  readonly cron: string;
  readonly every: string;
  /** One date and time a line. */
  readonly at: string;
  readonly timeZone: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly maxRuns: string;
  readonly except: string;
  readonly flexWindow: string;
  readonly overlap: Schedule["overlap"];
  readonly catchUp: Schedule["catchUp"]["mode"];
  readonly pauseAfterDeadLetters: string;
  readonly payload: string;
}

/** When a schedule is due. */
type GivenRecurrence = Pick<
  PreviewInput,
  "cron" | "everyMs" | "at" | "timeZone" | "startTime" | "endTime" | "maxRuns" | "except"
>;

export interface ScheduleChange extends GivenRecurrence {
  readonly targetId: string;
  readonly flexWindowMs: number;
  readonly pauseAfterDeadLetters: number | null;
  readonly overlap: Schedule["overlap"];
}

export const emptyDraft: ScheduleDraft = {
  scheduleId: "",
  targetId: "",
  kind: "cron",
  cron: "0 9 * * MON-FRI",
  every: "15m",
  at: "",
  timeZone: "UTC",
  startTime: "",
  endTime: "",
  maxRuns: "",
  except: "",
  flexWindow: "",
  overlap: "allow",
  catchUp: "last",
  pauseAfterDeadLetters: "",
  payload: "",
};

export function draftOf(schedule: Schedule): ScheduleDraft {
  const { cron, everyMs, at, startTime, endTime, maxRuns, except, flexWindowMs } = schedule;
  const { pauseAfterDeadLetters } = schedule;
  return {
    ...emptyDraft,
    ...{ scheduleId: schedule.scheduleId, targetId: schedule.targetId },
    ...{ timeZone: schedule.timeZone, overlap: schedule.overlap, payload: schedule.payload },
    kind: cron !== null ? "cron" : everyMs !== null ? "every" : "at",
    ...(cron !== null && { cron: cron.join("\n") }),
    ...(everyMs !== null && { every: spanText(everyMs) }),
    ...(at !== null && { at: at.join("\n") }),
    startTime: startTime ?? "",
    endTime: endTime ?? "",
    maxRuns: maxRuns === null ? "" : String(maxRuns),
    except: except.join("\n"),
    flexWindow: flexWindowMs === 0 ? "" : spanText(flexWindowMs),
    catchUp: schedule.catchUp.mode,
    pauseAfterDeadLetters: pauseAfterDeadLetters === null ? "" : String(pauseAfterDeadLetters),
  };
}

/** When it is due; undefined as long as the text cannot be meant. The server has the last word. */
export function recurrenceOf(draft: ScheduleDraft): GivenRecurrence | undefined {
  const everyMs = readSpan(draft.every);
  const [cron, at] = [linesOf(draft.cron), linesOf(draft.at)];
  const maxRuns = numberOf(draft.maxRuns);
  const isComplete =
    { cron: cron.length > 0, every: everyMs !== undefined, at: at.length > 0 }[draft.kind] &&
    maxRuns !== undefined;
  if (!isComplete) return undefined;
  return {
    cron: draft.kind === "cron" ? cron : null,
    everyMs: draft.kind === "every" ? everyMs! : null,
    at: draft.kind === "at" ? at : null,
    timeZone: draft.timeZone,
    startTime: draft.startTime.trim() || null,
    endTime: draft.endTime.trim() || null,
    maxRuns,
    except: linesOf(draft.except),
  };
}

/** All that the form has, besides id and payload; undefined if some of it cannot be meant. */
export function changesOf(draft: ScheduleDraft): ScheduleChange | undefined {
  const recurrence = recurrenceOf(draft);
  const flexWindowMs = draft.flexWindow.trim() === "" ? 0 : readSpan(draft.flexWindow);
  const pauseAfterDeadLetters = numberOf(draft.pauseAfterDeadLetters);
  if (recurrence === undefined || flexWindowMs === undefined) return undefined;
  if (pauseAfterDeadLetters === undefined || draft.targetId.trim() === "") return undefined;
  return {
    ...recurrence,
    ...{ targetId: draft.targetId.trim(), flexWindowMs, pauseAfterDeadLetters },
    overlap: draft.overlap,
  };
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Null for an empty text; undefined for one that is no number. */
function numberOf(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

/** A span that `readSpan` reads again. */
function spanText(ms: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const;
  const [unit, size] = units.find(([, unitMs]) => ms % unitMs === 0) ?? [];
  return unit === undefined ? duration(ms) : `${ms / size}${unit}`;
}
