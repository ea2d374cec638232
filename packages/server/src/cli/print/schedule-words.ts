import type { ListedSchedule, ScheduleRun } from "@postdate/client";
import { codes } from "../../domain/refusals.ts";
import type { Style } from "../terminal/colours.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";

const mostNamed = 5;
/** The default, which needs no words. */
const usualWindowMs = 365 * 86_400_000;

/** When a schedule is due: "0 9 * * MON-FRI", "every 15 min", "at 2027-01-01T09:00". */
export function whenText({ cron, everyMs, at }: ListedSchedule): string {
  if (cron !== null) return cron.join(" or ");
  if (everyMs !== null) return `every ${durationText(everyMs)}`;
  return `at ${someOf(at ?? [])}`;
}

/** The first of many texts, and how many there are besides. */
export function someOf(texts: readonly string[]): string {
  const named = texts.slice(0, mostNamed).join(", ");
  const others = texts.length - mostNamed;
  return others > 0 ? `${named} and ${others} more` : named;
}

export const overlapWords: Readonly<Record<string, string>> = {
  allow: "allow: make the run all the same",
  skip: "skip the run",
  replace: "replace the message before",
  queue: "queue the run",
} satisfies Record<ListedSchedule["overlap"], string>;

const catchUpWords: Readonly<Record<string, string>> = {
  last: "make the last one",
  all: "make all of them",
  none: "make none",
} satisfies Record<ListedSchedule["catchUp"]["mode"], string>;

/** What becomes of runs that were missed. */
export function catchUpText({ catchUp: { mode, windowMs } }: ListedSchedule): string {
  const words = catchUpWords[mode] ?? mode;
  if (mode === "none" || windowMs === usualWindowMs) return words;
  return `${words} that ${mode === "all" ? "are" : "is"} at most ${durationText(windowMs)} old`;
}

const reasons: ReadonlyMap<string, string> = new Map<NonNullable<ScheduleRun["reason"]>, string>([
  ["OVERLAP", "the message before was still scheduled"],
  ["REQUESTED", "somebody skipped it"],
  ["PAUSED", "the schedule was paused"],
  ["EDITED", "the schedule was changed"],
  [codes.monthlyLimitReached, "the monthly limit was used up"],
  ["NOT_AFTER", "its not-after time had come"],
  ["NOT_CAUGHT_UP", "missed, and not to be caught up"],
  ["TOO_OLD", "missed, and too old to be caught up"],
]);

/** Why a run has no message; null if it has one. */
export function runReasonText({ reason }: Pick<ScheduleRun, "reason">): string | null {
  return reason === null ? null : (reasons.get(reason) ?? reason);
}

const pauseReasons: ReadonlyMap<string, string> = new Map([
  ["REQUESTED", "somebody asked for it"],
  ["DEAD_LETTERS", "too many dead letters in a row"],
]);

/** Why a schedule is paused. */
export function pauseText(reason: string): string {
  return pauseReasons.get(reason) ?? reason;
}

const outcomeStyles: ReadonlyMap<string, Style> = new Map<string, Style>([
  ["SCHEDULED", "cyan"],
  ["DELIVERED", "green"],
  ["DEAD_LETTER", "red"],
  ["CANCELLED", "yellow"],
  ["SKIPPED", "yellow"],
  ["MISSED", "red"],
]);

/** The state of its message, or else what became of the run. */
export function runOutcomeText({ outcome, messageState }: ScheduleRun, { paint }: Look): string {
  const word = messageState ?? outcome;
  return paint(outcomeStyles.get(word) ?? "bold", word);
}
