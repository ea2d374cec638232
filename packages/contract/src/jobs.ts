import { AuditEntry } from "./audit.ts";
import {
  givenTime,
  integerOrNull,
  named,
  strict,
  targetId,
  textOrNull,
  time,
  timeOrNull,
  withoutControls,
} from "./fields.ts";
import { count, givenRate, jobNote, previewCounts, previewing } from "./job-fields.ts";
import { pageFields, TargetListQuery } from "./lists.ts";
import { DeadLetterReason, labels } from "./message-options.ts";
import { Message } from "./messages.ts";
import { Type } from "./type.ts";

const actionTexts = [
  "`redrive`: dead letters are scheduled again, for now.",
  "`cancel`: scheduled messages are cancelled.",
  "`reschedule`: scheduled messages get the delivery time `deliveryTime`.",
  "`shift`: scheduled messages are moved by `byMs`.",
];

const givenAction = Type.Unsafe<"redrive" | "cancel" | "reschedule" | "shift">({
  type: "string",
  enum: ["redrive", "cancel", "reschedule", "shift"],
  description: actionTexts.join(" "),
});

const action = Type.Unsafe<"redrive" | "cancel" | "reschedule" | "shift" | "backfill">({
  type: "string",
  enum: ["redrive", "cancel", "reschedule", "shift", "backfill"],
  description: [
    ...actionTexts,
    "`backfill`: run times of a recurring schedule that are past get their messages.",
  ].join(" "),
});

const lastStatusCode = Type.Integer({
  minimum: 100,
  maximum: 599,
  description: "Only for `redrive`: the target answered the last attempt with this status.",
});

const redriveFilter = {
  minTime: Type.Optional(
    givenTime(
      "Only messages at this time or later: by their `deadLetterTime` for `redrive`, by their run time for `backfill`, and by their `nextDeliveryTime` otherwise.",
    ),
  ),
  maxTime: Type.Optional(givenTime("Only messages at this time or earlier.")),
  labels: Type.Optional(labels),
  keyPrefix: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: withoutControls,
      description: "Only messages with a `key` that begins with this.",
      examples: ["digest-of-"],
    }),
  ),
  scheduleId: Type.Optional(
    Type.String({
      description: "Only messages that this recurring schedule has made.",
      examples: ["weekday-digest"],
    }),
  ),
  deadLetterReason: Type.Optional(named(DeadLetterReason)),
  lastStatusCode: Type.Optional(lastStatusCode),
};

export const GivenJobFilter = Type.Object(
  { targetId: Type.Optional(targetId), ...redriveFilter },
  {
    ...strict,
    $id: "GivenJobFilter",
    description:
      "Which messages. All conditions must hold; a `targetId`, a label or a `scheduleId` is needed. Whatever was scheduled, or became a dead letter, after the job was created is left alone.",
  },
);

const limits = {
  ratePerSecond: Type.Optional(givenRate),
  maxMessages: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The job is done after this many messages.",
    }),
  ),
  stopAfterFailures: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        "Only for `redrive`, 20 unless given: if so many redriven messages fail again in a row, the job is paused.",
    }),
  ),
  note: jobNote,
  ...previewing("Only count the messages and show the first ten."),
};

export const CreateJob = Type.Object(
  {
    action: givenAction,
    filter: named(GivenJobFilter),
    deliveryTime: Type.Optional(givenTime("For `reschedule`: the new delivery time.")),
    byMs: Type.Optional(
      Type.Integer({
        minimum: -31_622_400_000_000,
        maximum: 31_622_400_000_000,
        description:
          "For `shift`: how far to move the messages; a negative number moves them to earlier times.",
      }),
    ),
    ...limits,
  },
  { ...strict, $id: "CreateJob", description: "A change of many messages." },
);

export const RedriveDeadLetters = Type.Object(
  { filter: Type.Optional(Type.Object(redriveFilter, strict)), ...limits },
  {
    ...strict,
    $id: "RedriveDeadLetters",
    description: "A redrive of the dead letters of one target.",
  },
);

export const ChangeJob = Type.Object(
  { ratePerSecond: givenRate },
  { ...strict, $id: "ChangeJob", description: "What can be changed of a job that has not ended." },
);

export const JobPath = Type.Object({
  jobId: Type.String({
    description: "Identifier of a job.",
    examples: ["job_01k9xvq8c7e4nv3q0t2m5r8w1z"],
  }),
});

export const JobListQuery = TargetListQuery;

const JobState = Type.Unsafe<"RUNNING" | "PAUSED" | "DONE" | "STOPPED" | "FAILED">({
  type: "string",
  enum: ["RUNNING", "PAUSED", "DONE", "STOPPED", "FAILED"],
  description:
    "`RUNNING` and `PAUSED` jobs can be stopped; the others have ended. A paused job changes nothing until it is resumed.",
});

export const Job = Type.Object(
  {
    jobId: JobPath.properties.jobId,
    action,
    filter: named(GivenJobFilter),
    deliveryTime: timeOrNull("Of a `reschedule`."),
    byMs: integerOrNull("Of a `shift`."),
    state: JobState,
    matched: count(
      "How many messages it has met, or run times in a `backfill`. Once the job has ended, this is `done` and both kinds of `skipped` together.",
    ),
    done: count("How many messages it has changed, or made in a `backfill`."),
    skipped: Type.Object(
      {
        changed: count(
          "At their turn, their state, their `notAfter` or their key did not allow the change. In a `backfill`, their `notAfter` or the monthly limit allowed no message.",
        ),
        inFlight: count("An attempt was under way at both of their turns."),
      },
      { description: "Messages that it met and did not change." },
    ),
    failedAgain: count("How many redriven messages failed at their next attempt."),
    ratePerSecond: Type.Integer({ description: "The most messages a second." }),
    maxMessages: integerOrNull("The most messages that it meets; null: without a limit."),
    stopAfterFailures: integerOrNull("Of a `redrive`."),
    removesTarget: Type.Boolean({
      description: "Whether it removes its target after the last message.",
    }),
    note: textOrNull("The remark that came with it."),
    creationTime: time("When it was created."),
    endTime: timeOrNull("When it ended."),
    actor: AuditEntry.properties.actor,
    stopReason: Type.Unsafe<
      | "REQUESTED"
      | "FAILURES"
      | "MAX_MESSAGES"
      | "TARGET_REMOVED"
      | "TARGET_HAS_MESSAGES"
      | "SCHEDULE_REMOVED"
      | null
    >({
      type: ["string", "null"],
      enum: [
        "REQUESTED",
        "FAILURES",
        "MAX_MESSAGES",
        "TARGET_REMOVED",
        "TARGET_HAS_MESSAGES",
        "SCHEDULE_REMOVED",
        null,
      ],
      description: [
        "Why it is paused, or ended before its last message; null otherwise.",
        "`REQUESTED`: a caller asked for it.",
        "`FAILURES`: too many redriven messages failed again in a row.",
        "`MAX_MESSAGES`: it has met as many messages as it may.",
        "`TARGET_REMOVED`: its target is gone.",
        "`TARGET_HAS_MESSAGES`: its target could not be removed, because it has scheduled messages again, or still in flight, or a recurring schedule.",
        "`SCHEDULE_REMOVED`: its schedule is gone, also if another has the same id now.",
      ].join(" "),
    }),
  },
  { $id: "Job", description: "A change of many messages, made a few at a time." },
);

export const JobPage = Type.Object(
  { items: Type.Array(named(Job)), ...pageFields },
  { $id: "JobPage", description: "One page of jobs, the newest first." },
);

export const JobPreview = Type.Object(
  {
    ...previewCounts("How many messages match now."),
    sample: Type.Array(named(Message), { description: "The first ten." }),
  },
  { $id: "JobPreview", description: "What a job would change." },
);
