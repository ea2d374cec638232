import type { Static, TObject } from "typebox";
import { errorCodeRegistry } from "./error-codes.ts";
import { named, strict, time } from "./fields.ts";
import { pageFields, TargetListQuery } from "./lists.ts";
import { Type } from "./type.ts";

const overLimit = errorCodeRegistry.monthlyLimitReached.code;

const reasons = [
  "OVERLAP",
  "REQUESTED",
  "PAUSED",
  "EDITED",
  overLimit,
  "NOT_AFTER",
  "NOT_CAUGHT_UP",
  "TOO_OLD",
] as const;

const states = ["SCHEDULED", "DELIVERED", "DEAD_LETTER", "CANCELLED"] as const;

export const scheduleId = Type.String({
  description: "Identifier of the schedule.",
  examples: ["weekday-digest"],
});

const runFields = {
  scheduleId,
  runTime: time("The time of the run: when the schedule is due, or when it was triggered."),
  trigger: Type.Unsafe<"TIME" | "MANUAL" | "BACKFILL" | "CATCH_UP">({
    type: "string",
    enum: ["TIME", "MANUAL", "BACKFILL", "CATCH_UP"],
    description: [
      "`TIME`: its time came.",
      "`MANUAL`: a caller triggered it.",
      "`BACKFILL`: a job made it up for a time in the past.",
      "`CATCH_UP`: its time passed while no run could be made, and it was made afterwards.",
    ].join(" "),
  }),
  outcome: Type.Unsafe<"CREATED" | "SKIPPED" | "MISSED">({
    type: "string",
    enum: ["CREATED", "SKIPPED", "MISSED"],
    description: [
      "`CREATED`: the run has a message.",
      "`SKIPPED`: it was left out on purpose, or the account had used up its limit.",
      "`MISSED`: its time passed while no run could be made, and `catchUp` leaves it out.",
    ].join(" "),
  }),
  reason: Type.Unsafe<(typeof reasons)[number] | null>({
    type: ["string", "null"],
    enum: [...reasons, null],
    description: [
      "Why the run has no message; null if it has one.",
      "`OVERLAP`: the message of the run before was still scheduled.",
      "`REQUESTED`: a caller skipped it.",
      "`PAUSED`, `EDITED`: the schedule was paused or changed after the run time, before the message was due.",
      `\`${overLimit}\`: the account had used up its monthly limit.`,
      "`NOT_AFTER`: no attempt could have started before the message's `notAfter`.",
      "`NOT_CAUGHT_UP`: `catchUp.mode` leaves it out.",
      "`TOO_OLD`: it lies before `catchUp.windowMs`.",
    ].join(" "),
  }),
  messageId: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "The message of the run; null unless it was created.",
    examples: ["msg_01k9xvq8c7e4nv3q0t2m5r8w1z"],
  }),
  messageState: Type.Unsafe<(typeof states)[number] | null>({
    type: ["string", "null"],
    enum: [...states, null],
    description: "The state of that message; null if there is none, or if it has expired.",
  }),
};

const example = {
  scheduleId: "weekday-digest",
  runTime: "2026-11-13T08:00:00.000Z",
  trigger: "TIME",
  outcome: "CREATED",
  reason: null,
  messageId: "msg_01k9xvq8c7e4nv3q0t2m5r8w1z",
  messageState: "DELIVERED",
};

export const ScheduleRun = Type.Object(runFields, {
  $id: "ScheduleRun",
  description:
    "What became of one run time of a schedule, also if no message came of it. There is at most one for each time.",
  examples: [example],
});

export const lastRun = Type.Unsafe<Static<TObject<typeof runFields>> | null>({
  ...Type.Object(runFields),
  type: ["object", "null"],
  description: "The latest run; null before the first.",
  examples: [example],
});

export const RunListQuery = Type.Object({ ...TargetListQuery.properties }, strict);

export const ScheduleRunPage = Type.Object(
  { items: Type.Array(named(ScheduleRun)), ...pageFields },
  { $id: "ScheduleRunPage", description: "One page of runs, the newest run time first." },
);
