import type { Static, TObject } from "typebox";
import {
  integerOrNull,
  named,
  payload,
  strict,
  targetId,
  textOrNull,
  time,
  timeOrNull,
} from "./fields.ts";
import { pageFields, TargetListQuery } from "./lists.ts";
import { shownMessageOptions } from "./message-options.ts";
import { shownRecurrence } from "./recurrences.ts";
import { catchUp, overlap } from "./schedule-policies.ts";
import { lastRun, scheduleId } from "./schedule-runs.ts";
import { Type } from "./type.ts";

const pauseFields = {
  time: time("When it was paused."),
  note: textOrNull("The remark that came with it."),
  until: timeOrNull("When it ends by itself; null: only when the schedule is resumed."),
  reason: Type.Unsafe<"REQUESTED" | "DEAD_LETTERS">({
    type: "string",
    enum: ["REQUESTED", "DEAD_LETTERS"],
    description:
      "`REQUESTED`: a caller asked for it. `DEAD_LETTERS`: as many runs in a row became dead letters as `pauseAfterDeadLetters` says.",
  }),
};

const { labels, retryPolicy, notAfterMs, headers, contentType, timeoutMs } = shownMessageOptions;

const listed = {
  scheduleId,
  targetId,
  ...shownRecurrence,
  message: Type.Object(
    { labels, retryPolicy, notAfterMs, headers, contentType, timeoutMs },
    { description: "Options of each message. Only those that are set are present." },
  ),
  flexWindowMs: Type.Integer({ description: "Over how long messages are spread." }),
  overlap,
  catchUp,
  pauseAfterDeadLetters: integerOrNull("After how many dead letters in a row it pauses."),
  nextRunTime: timeOrNull(
    "The next run time that is not skipped, and whose run is not made yet: that is up to 5 seconds ahead. While paused, the first one at or after `pause.until`. Null: there is none, or none before a resume.",
  ),
  runsLeft: integerOrNull(
    "How many more runs `maxRuns` lets it make by time; null if it has no such bound. What was skipped, missed, triggered or backfilled does not count.",
  ),
  waitsForMessageId: textOrNull(
    "The message of an earlier run that has to end before the run of `nextRunTime`, which has come, is made: with `overlap` `queue`, or with `replace` while an attempt is in flight. Null: nothing waits.",
  ),
  lastRun,
  paused: Type.Boolean({ description: "While true, no run is made by time." }),
  pause: Type.Unsafe<Static<TObject<typeof pauseFields>> | null>({
    ...Type.Object(pauseFields),
    type: ["object", "null"],
    description: "Why and how long it is paused; null unless `paused`.",
  }),
  revision: Type.Integer({ minimum: 1, description: "Grows with every change." }),
  creationTime: time("When the schedule was created."),
  updateTime: time("When a caller last changed it."),
};

const shownExample = {
  scheduleId: "weekday-digest",
  targetId: "mail",
  cron: ["0 9 * * MON-FRI"],
  everyMs: null,
  at: null,
  timeZone: "Europe/Berlin",
  startTime: null,
  endTime: null,
  maxRuns: null,
  except: [],
  message: {},
  flexWindowMs: 0,
  overlap: "allow",
  catchUp: { mode: "last", windowMs: 31_536_000_000 },
  pauseAfterDeadLetters: null,
  nextRunTime: "2026-11-16T08:00:00.000Z",
  runsLeft: null,
  waitsForMessageId: null,
  lastRun: null,
  paused: false,
  pause: null,
  revision: 1,
  creationTime: "2026-11-13T16:04:11.482Z",
  updateTime: "2026-11-13T16:04:11.482Z",
};

export const Schedule = Type.Object(
  {
    ...listed,
    payload,
    skips: Type.Array(time("A run time to come."), {
      description: "Run times to come that a caller has skipped.",
    }),
  },
  {
    $id: "Schedule",
    description: "A message that recurs. Each time it is due, it makes a message: a run.",
    examples: [{ ...shownExample, payload: '{"digest":"daily"}', skips: [] }],
  },
);

export const ListedSchedule = Type.Object(listed, {
  $id: "ListedSchedule",
  description: "A schedule in a list, which has neither `payload` nor `skips`.",
  examples: [shownExample],
});

export const SchedulePage = Type.Object(
  { items: Type.Array(named(ListedSchedule)), ...pageFields },
  { $id: "SchedulePage", description: "One page of schedules, by `scheduleId`." },
);

export const ScheduleListQuery = Type.Object(
  {
    targetId: Type.Optional(
      Type.String({ description: "Only schedules for this target.", examples: ["mail"] }),
    ),
    paused: Type.Optional(
      Type.Unsafe<"true" | "false">({
        type: "string",
        enum: ["true", "false"],
        description: "Only schedules that are paused, or only those that are not.",
      }),
    ),
    ...TargetListQuery.properties,
  },
  strict,
);

export const SchedulePath = Type.Object({ scheduleId });
