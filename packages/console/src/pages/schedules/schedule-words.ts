import type { ListedSchedule, ScheduleRun } from "@postdate/client";
import type { MarkTone } from "../../presentation/mark.tsx";
import { duration } from "../../time/time-text.ts";
import { cronWords } from "./cron-words.ts";

const named = 4;

/** When it is due, in words. */
export function whenWords({ cron, everyMs, at }: Pick<ListedSchedule, "cron" | "everyMs" | "at">) {
  if (cron !== null) return cron.map(cronWords).join("; or ");
  if (everyMs !== null) return `every ${duration(everyMs)}`;
  const times = (at ?? []).slice(0, named).map((time) => time.replace("T", " "));
  const others = (at ?? []).length - named;
  return `at ${times.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

export const overlapWords = {
  allow: "Make the run all the same",
  skip: "Skip the run",
  replace: "Replace the message before",
  queue: "Wait for the message before",
} as const;

export const catchUpWords = {
  last: "Make the latest one",
  all: "Make all of them",
  none: "Make none",
} as const;

const reasons: Readonly<Record<NonNullable<ScheduleRun["reason"]>, string>> = {
  OVERLAP: "the message before was still scheduled",
  REQUESTED: "somebody skipped it",
  PAUSED: "the schedule was paused",
  EDITED: "the schedule was changed",
  "E-DI-5005": "the monthly limit was used up",
  NOT_AFTER: "its time had passed",
  NOT_CAUGHT_UP: "missed, and not to be caught up",
  TOO_OLD: "missed, and too old to be caught up",
};

export function reasonWords({ reason }: ScheduleRun): string | null {
  return reason && reasons[reason];
}

/** What became of a run: the state of its message, or that it has none. */
export function outcomeOf({ outcome, messageState }: ScheduleRun): readonly [string, MarkTone] {
  if (messageState === "DELIVERED") return ["Delivered", "good"];
  if (messageState === "DEAD_LETTER") return ["Dead letter", "bad"];
  if (messageState === "SCHEDULED") return ["Scheduled", "wait"];
  if (messageState === "CANCELLED") return ["Cancelled", "quiet"];
  if (outcome === "CREATED") return ["Made", "good"];
  return outcome === "SKIPPED" ? ["Skipped", "quiet"] : ["Missed", "bad"];
}
