import { chosenId, givenTime, payload, printable, strict } from "./fields.ts";
import { givenMessageOptions } from "./message-options.ts";
import { recurrence } from "./recurrences.ts";
import { givenCatchUp, givenOverlap } from "./schedule-policies.ts";
import { orNull } from "./target-kinds/target-kind-schema.ts";
import { Type } from "./type.ts";

const { labels, retryPolicy, notAfterMs, headers, contentType, timeoutMs } = givenMessageOptions;

const messageOptions = {
  labels,
  retryPolicy,
  notAfterMs,
  headers: Type.Optional({
    ...headers,
    description:
      'Headers of the attempts at each message, besides those of its target and instead of those with the same names: up to 20, with at most 4,096 characters in all names and values. The values are stored sealed and never shown. In a change that keeps the target, the value `"set"` keeps the current value of a header.',
  }),
  contentType,
  timeoutMs,
};

const givenId = Type.String({
  pattern: chosenId,
  description: "1 to 64 letters, digits, `_` and `-`.",
  examples: ["weekday-digest"],
});

const givenTarget = Type.String({
  description: "The target that the messages are delivered to.",
  examples: ["mail"],
});

/** Besides target and payload. Null is the default of each field. */
const givenFields = {
  ...recurrence,
  message: orNull(
    Type.Object(messageOptions, {
      ...strict,
      description:
        "Options of each message: those of a message that is scheduled alone, without `key`, `notAfter` and `flexWindowMs`.",
      examples: [{ labels: { kind: "digest" }, notAfterMs: 3_600_000 }],
    }),
  ),
  flexWindowMs: orNull(
    Type.Integer({
      minimum: 0,
      maximum: 86_400_000,
      default: 0,
      description:
        "Spreads messages over a window of up to a day after their run times. The place in the window follows from the schedule and the run time, and is never past the next occurrence.",
    }),
  ),
  overlap: givenOverlap,
  catchUp: givenCatchUp,
  pauseAfterDeadLetters: orNull(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description:
        "Pauses the schedule when the messages of so many runs in a row have become dead letters.",
    }),
  ),
};

const example = {
  targetId: "mail",
  payload: '{"digest":"daily"}',
  cron: "0 9 * * MON-FRI",
  timeZone: "Europe/Berlin",
};

export const CreateSchedule = Type.Object(
  {
    scheduleId: Type.Optional({
      ...givenId,
      description: "1 to 64 letters, digits, `_` and `-`; generated if it is left out.",
    }),
    targetId: givenTarget,
    payload,
    ...givenFields,
  },
  {
    ...strict,
    $id: "CreateSchedule",
    description:
      "A new recurring schedule. Exactly one of `cron`, `everyMs` and `at` is given; null is the same as left out.",
    examples: [{ scheduleId: "weekday-digest", ...example }],
  },
);

export const PutSchedule = Type.Object(
  { targetId: givenTarget, payload, ...givenFields },
  {
    ...strict,
    $id: "PutSchedule",
    description:
      "A whole recurring schedule. What is left out takes its default. Exactly one of `cron`, `everyMs` and `at` is given; null is the same as left out.",
    examples: [example],
  },
);

export const UpdateSchedule = Type.Object(
  { targetId: Type.Optional(givenTarget), payload: Type.Optional(payload), ...givenFields },
  {
    ...strict,
    $id: "UpdateSchedule",
    description:
      "The fields to change. Each given field replaces the old value completely; null restores its default. Fields that are left out stay as they are; of `cron`, `everyMs` and `at`, a new one replaces the old one.",
    examples: [{ cron: "30 8 * * MON-FRI" }],
  },
);

export const PreviewSchedule = Type.Object(
  {
    scheduleId: Type.Optional(givenId),
    targetId: Type.Optional(givenTarget),
    payload: Type.Optional(payload),
    ...givenFields,
    from: Type.Optional(givenTime("Only occurrences after this time; now by default.")),
    count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 10,
        description: "How many occurrences to answer with.",
      }),
    ),
  },
  {
    ...strict,
    $id: "PreviewSchedule",
    description:
      "When a schedule would be due. Exactly one of `cron`, `everyMs` and `at` is given. Fields of a schedule that say nothing about that, such as `targetId` and `payload`, may be left out. If they are given, they are checked as in a schedule, and change nothing in the answer.",
    examples: [{ cron: "0 9 * * MON-FRI", timeZone: "Europe/Berlin", count: 5 }],
  },
);

export const PauseSchedule = Type.Object(
  {
    note: orNull(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: printable,
        description: "Your own remark, kept with the schedule and in the audit log.",
        examples: ["until the new templates are there"],
      }),
    ),
    until: orNull(
      givenTime(
        "When the pause ends by itself; null: when the schedule is resumed. In the future.",
      ),
    ),
  },
  {
    ...strict,
    $id: "PauseSchedule",
    description: "Why and how long to pause. The body may be left out.",
    examples: [{ until: "2026-12-27T00:00:00+01:00" }],
  },
);

export const SkipRun = Type.Object(
  { time: givenTime("The exact time of a run to come.") },
  {
    ...strict,
    $id: "SkipRun",
    description: "Which run.",
    examples: [{ time: "2026-12-25T08:00:00Z" }],
  },
);
