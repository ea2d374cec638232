import { Attempt } from "./attempts.ts";
import { named, strict, targetId, time, timeOrNull } from "./fields.ts";
import { Job } from "./jobs.ts";
import { Message } from "./messages.ts";
import { ScheduleRun, scheduleId } from "./schedule-runs.ts";
import { shownFields } from "./target-schemas.ts";
import { Type } from "./type.ts";

/** What an endpoint may ask for. In an event, `postdate.` stands before it and `.v1` after it. */
export const eventTypes = [
  "message.scheduled",
  "message.rescheduled",
  "message.replaced",
  "message.cancelled",
  "message.attempt_failed",
  "message.delivered",
  "message.dead_lettered",
  "target.created",
  "target.updated",
  "target.paused",
  "target.resumed",
  "target.removed",
  "target.failing",
  "target.recovered",
  "schedule.created",
  "schedule.updated",
  "schedule.paused",
  "schedule.resumed",
  "schedule.removed",
  "schedule.run_created",
  "schedule.run_skipped",
  "schedule.run_missed",
  "job.started",
  "job.paused",
  "job.ended",
  "endpoint.disabled",
] as const;

/** All types of a noun. */
export const eventTypePatterns = [
  "message.*",
  "target.*",
  "schedule.*",
  "job.*",
  "endpoint.*",
] as const;

/** What a webhook is sent instead of events that left the log before it took them. It is in no log. */
const gapType = "postdate.gap.v1";

/** What a test of an endpoint sends. Nobody can subscribe to it, and it is in no log. */
const endpointTestType = "postdate.endpoint.test.v1";

const { number, startTime, endTime, outcome, statusCode, error } = Attempt.properties;
const { retryPolicy, maxConcurrency, rateLimit, paused } = shownFields;
const job = Job.properties;
const run = ScheduleRun.properties;

const dataFields = {
  message: Type.Optional(named(Message)),
  attempt: Type.Optional(
    Type.Object(
      { number, startTime, endTime, outcome, statusCode, error },
      { description: "The attempt that made the change, without the target's answer." },
    ),
  ),
  target: Type.Optional(
    Type.Object(
      {
        targetId,
        kind: Type.String({ description: "How the target receives messages." }),
        retryPolicy,
        maxConcurrency,
        rateLimit,
        paused,
      },
      { description: "The target: of events of targets." },
    ),
  ),
  health: Type.Optional(
    Type.Object(
      {
        failedAttempts: Type.Integer({ description: "Attempts that have failed in a row." }),
        since: time("When the first of them ended."),
      },
      { description: "How the target does: of `target.failing` and `target.recovered`." },
    ),
  ),
  schedule: Type.Optional(
    Type.Object(
      {
        scheduleId,
        targetId,
        paused: Type.Boolean({ description: "Whether it is paused." }),
        pauseReason: Type.Unsafe<"REQUESTED" | "DEAD_LETTERS" | null>({
          type: ["string", "null"],
          enum: ["REQUESTED", "DEAD_LETTERS", null],
          description: "Why it is paused; null unless it is.",
        }),
        pausedUntil: timeOrNull("When the pause ends by itself; null: it does not."),
        nextRunTime: timeOrNull("The next run time; null: there is none, or none before a resume."),
        revision: Type.Integer({ description: "Grows with every change." }),
      },
      { description: "The recurring schedule: of events of schedules." },
    ),
  ),
  run: Type.Optional(
    Type.Object(
      {
        runTime: run.runTime,
        trigger: run.trigger,
        outcome: run.outcome,
        reason: run.reason,
        messageId: run.messageId,
      },
      { description: "The run: of `schedule.run_created`, `run_skipped` and `run_missed`." },
    ),
  ),
  job: Type.Optional(
    Type.Object(
      {
        jobId: job.jobId,
        action: job.action,
        state: job.state,
        matched: job.matched,
        done: job.done,
        skipped: job.skipped,
        failedAgain: job.failedAgain,
        stopReason: job.stopReason,
      },
      { description: "The job: of events of jobs." },
    ),
  ),
  endpoint: Type.Optional(
    Type.Object(
      {
        endpointId: Type.String({ description: "Identifier of the event endpoint." }),
        statusCode: Type.Unsafe<number | null>({
          type: ["integer", "null"],
          description: "What its receiver answered; null in a test and of a gap.",
        }),
      },
      { description: "The event endpoint: of `endpoint.disabled`, of a test, and of a gap." },
    ),
  ),
  gap: Type.Optional(
    Type.Object(
      {
        events: Type.Integer({
          description:
            "How many events of the account have left the log. The endpoint would not have got all of them.",
        }),
      },
      { description: "What is missing: of `postdate.gap.v1`, which only webhooks get." },
    ),
  ),
};

const envelope = {
  specversion: Type.Literal("1.0", { description: "The version of CloudEvents." }),
  id: Type.String({
    description: "Identifier of the event: the same however often it is told.",
    examples: ["evt_2y7c9k4m1x8v5q3w6t0zn7r4bd"],
  }),
  source: Type.String({ description: "The account.", examples: ["/accounts/acc_default"] }),
  type: Type.Unsafe<string>({
    type: "string",
    enum: [...eventTypes.map((type) => `postdate.${type}.v1`), gapType, endpointTestType],
    description: "What happened.",
  }),
  subject: Type.String({
    description: "What it happened to.",
    examples: ["messages/msg_01k9xvq8c7e4nv3q0t2m5r8w1z"],
  }),
  time: time("When it happened, by the store's clock."),
  datacontenttype: Type.Literal("application/json", { description: "The form of `data`." }),
  data: Type.Object(dataFields, {
    description:
      "What the event is about, as it was right after the change. Never a payload, an answer of a target, the value of a header or a secret.",
  }),
};

const example = {
  specversion: "1.0",
  id: "evt_2y7c9k4m1x8v5q3w6t0zn7r4bd",
  source: "/accounts/acc_default",
  type: "postdate.message.dead_lettered.v1",
  subject: "messages/msg_01k9xvq8c7e4nv3q0t2m5r8w1z",
  time: "2026-11-14T09:45:12.204Z",
  datacontenttype: "application/json",
  data: {
    message: {
      messageId: "msg_01k9xvq8c7e4nv3q0t2m5r8w1z",
      targetId: "orders",
      schedulingTime: "2026-11-13T16:04:11.482Z",
      originalDeliveryTime: "2026-11-14T09:30:00.000Z",
      state: "DEAD_LETTER",
      deliveryFailureCount: 5,
      nextDeliveryTime: null,
      lastDeliveryTime: "2026-11-14T09:45:12.000Z",
      deadLetterTime: "2026-11-14T09:45:12.204Z",
      cancellationTime: null,
      expirationTime: "2026-11-28T09:45:12.204Z",
      deadLetterReason: "ATTEMPTS_EXHAUSTED",
    },
    attempt: {
      number: 5,
      startTime: "2026-11-14T09:45:12.000Z",
      endTime: "2026-11-14T09:45:12.198Z",
      outcome: "BAD_STATUS",
      statusCode: 500,
      error: "the target answered 500",
    },
  },
};

export const Event = Type.Object(envelope, {
  $id: "Event",
  description: "An event, as CloudEvents 1.0 in JSON.",
  examples: [example],
});

const position = Type.String({
  description:
    "A place in the account's log of events, for `after` and `from`. Do not look into it. It is of this log alone: one that was set back, as by a restored backup, knows that it has other events.",
  examples: ["MTo0MTc6NnQwem43cjRiZA"],
});

export const ReadEvent = Type.Object(
  { ...envelope, position },
  {
    $id: "ReadEvent",
    description: "An event, and its place in the log.",
    examples: [{ ...example, position: "MTo0MTc6NnQwem43cjRiZA" }],
  },
);

export const EventList = Type.Object(
  {
    events: Type.Array(named(ReadEvent), { description: "In the order of the log." }),
    nextPosition: Type.String({
      description:
        "Send it as `after` to read on. It may lie behind the last event: the endpoint does not get the events in between.",
      examples: ["MTo0MjA6azhzMmhkNTF4MA"],
    }),
  },
  { $id: "EventList", description: "The next events of an endpoint." },
);

const from = Type.Optional(
  Type.String({
    maxLength: 64,
    description:
      "Where to begin: `oldest`, or after a position. Without it: with what reaches the log from now on.",
    examples: ["oldest"],
  }),
);

export const EventListQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          "Only events after this position: the `nextPosition` of the answer before. The same as `from` with a position, and not together with it.",
        examples: ["MTo0MTc6NnQwem43cjRiZA"],
      }),
    ),
    from,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 100,
        description: "The most events in one answer.",
      }),
    ),
    waitMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30_000,
        default: 0,
        description: "How long to wait for an event if there is none yet.",
      }),
    ),
  },
  strict,
);

export const EventStreamQuery = Type.Object({ from }, strict);

export const EventStreamHeaders = Type.Object({
  "Last-Event-ID": Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "The `id:` of the last event that the caller has seen. It goes before `from`. Browsers send it when they connect again.",
    }),
  ),
});
