import { Attempt } from "./attempts.ts";
import { givenTime, integerOrNull, named, strict, targetId, textOrNull, time } from "./fields.ts";
import { deadLetterReasons } from "./message-options.ts";
import { pageFields, TargetListQuery } from "./lists.ts";
import { Message } from "./messages.ts";
import { Type } from "./type.ts";

const exact = (description: string) => Type.Boolean({ description });
const number = (description: string) => Type.Integer({ minimum: 0, description });

export const Count = Type.Object(
  {
    value: number("How many there were."),
    exact: exact(
      "False: there were at least so many. A count ends at 100,000, and after half a second.",
    ),
    asOf: time("When the count began."),
  },
  { $id: "Count", description: "A number of messages at one moment." },
);

export const Stats = Type.Object(
  {
    pending: named(Count),
    overdue: named(Count),
    dueInMinute: named(Count),
    dueInHour: named(Count),
    dueInDay: named(Count),
    deadLetters: named(Count),
  },
  {
    $id: "Stats",
    description:
      "What an account has: `pending` messages in the state SCHEDULED; of these, `overdue` ones whose `nextDeliveryTime` has come, with those that are being attempted at the moment or whose target is paused, and those that become due in the next minute, hour or day; and `deadLetters`.",
  },
);

const bucket = Type.Unsafe<"minute" | "hour" | "day">({
  type: "string",
  enum: ["minute", "hour", "day"],
  description:
    "The parts into which time is divided, in UTC. By default minutes for up to 3 hours, hours for up to 4 days, and days for longer.",
});

const onlyTarget = Type.Optional(
  Type.String({ description: "Only this target; all of them by default.", examples: ["orders"] }),
);

export const ForecastQuery = Type.Object(
  {
    targetId: onlyTarget,
    minTime: Type.Optional(
      givenTime("The first bucket is the one that this time is in; now by default, and at least."),
    ),
    maxTime: Type.Optional(
      givenTime(
        "The last bucket begins before this time. By default one hour, one day or 30 days after the first, by the `bucket`.",
      ),
    ),
    bucket: Type.Optional(bucket),
  },
  strict,
);

export const ActivityQuery = Type.Object(
  {
    targetId: onlyTarget,
    minTime: Type.Optional(
      givenTime(
        "The first bucket is the one that this time is in. By default one hour, one day or 30 days before the last, by the `bucket`.",
      ),
    ),
    maxTime: Type.Optional(givenTime("The last bucket begins before this time; now by default.")),
    bucket: Type.Optional(bucket),
  },
  strict,
);

export const DeadLetterGroupQuery = Type.Object({ targetId: onlyTarget }, strict);

const range = {
  targetId: textOrNull("The target; null: all targets of the account."),
  bucket,
  minTime: time("When the first bucket begins."),
  maxTime: time("When the last bucket ends."),
};

/** The upper bounds of the buckets of durations and lateness in milliseconds, each included. */
export const activityBoundsMs = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000,
] as const;

const quantile = (share: string) =>
  Type.Unsafe<number | null>({
    type: ["number", "null"],
    description: `${share}, estimated from the buckets; null without any attempt.`,
  });

const histogram = (description: string) =>
  Type.Object(
    {
      counts: Type.Array(Type.Integer({ minimum: 0 }), {
        description: "One number for each bound, and one for all above the last.",
      }),
      p50Ms: quantile("Half of them took at most this long"),
      p99Ms: quantile("Of a hundred, 99 took at most this long"),
    },
    { description },
  );

const outcomes = Object.fromEntries(
  (Attempt.properties.outcome as unknown as { enum: string[] }).enum.map((outcome) => [
    outcome,
    Type.Integer({ minimum: 0 }),
  ]),
);

const activity = {
  attempts: number("How many attempts ended."),
  outcomes: Type.Unsafe<Record<string, number>>({
    type: "object",
    properties: outcomes,
    required: Object.keys(outcomes),
    description: "The same by their outcome. Every outcome except `DELIVERED` is a failure.",
  }),
  durations: histogram("From the start of an attempt to its end."),
  lateness: histogram("From the instant a message was due to the start of the attempt."),
};

export const Activity = Type.Object(
  {
    ...range,
    boundsMs: Type.Array(Type.Integer(), {
      description:
        "The upper bounds of the buckets of `durations` and `lateness`, each included. They never change.",
      examples: [activityBoundsMs],
    }),
    total: Type.Object(activity, { description: "All of it together." }),
    items: Type.Array(Type.Object({ time: time("When the bucket begins."), ...activity }), {
      description: "Buckets with attempts, the earliest first.",
    }),
  },
  {
    $id: "Activity",
    description:
      "How attempts went. They show after about ten seconds, or a minute while very many targets are active. Minutes are kept for 48 hours, hours for 35 days.",
  },
);

export const Forecast = Type.Object(
  {
    ...range,
    exact: exact(
      "Whether all messages were counted. False: `overdue` and each `messages` is at least so high, and if `counting`, the next call knows more.",
    ),
    runsExact: exact(
      "The same for `runs`. It is also false if a schedule has very many runs, or is in a time zone that this server does not know.",
    ),
    counting: Type.Boolean({
      description: "Whether it is still being counted in the background. Ask again in a second.",
    }),
    asOf: time("When the count began."),
    overdue: number("Messages whose time had come by then, and that are still SCHEDULED."),
    items: Type.Array(
      Type.Object({
        time: time("When the bucket begins."),
        messages: number("Messages whose `nextDeliveryTime` is in it."),
        runs: number(
          "Runs of recurring schedules that are due in it and have no message yet, as the schedules are now. What is skipped, left out or beyond `maxRuns` is not among them.",
        ),
      }),
      { description: "All buckets, the earliest first." },
    ),
  },
  {
    $id: "Forecast",
    description:
      "How many messages become due when: those that are scheduled already (`messages`), and those that recurring schedules will make (`runs`). A forecast of up to 24 hours, or of one target, is at most 10 s old. A longer one of all targets is kept for 1 to 30 minutes, by what it costs.",
  },
);

export const DeadLetterGroup = Type.Object(
  {
    targetId,
    deadLetterReason: Type.Unsafe<(typeof deadLetterReasons)[number] | null>({
      type: ["string", "null"],
      enum: [...deadLetterReasons, null],
      description: "Why they ended; null if they ended before a version that keeps reasons.",
    }),
    lastStatusCode: integerOrNull(
      "The status with which the target answered the last attempt; null if it did not answer.",
    ),
    count: number("How many there are."),
    firstTime: time("The earliest `deadLetterTime` among them."),
    lastTime: time("The latest."),
    sample: named(Message),
  },
  {
    $id: "DeadLetterGroup",
    description:
      "Dead letters of one target that ended in the same way. A job with the same `targetId`, `deadLetterReason` and `lastStatusCode` in its filter redrives them. `sample` is the newest.",
  },
);

export const DeadLetterGroupList = Type.Object(
  {
    exact: exact(
      "False: there may be more, and older ones. It looks at the newest 5,000 of each target, and for half a second.",
    ),
    asOf: time("When the look began."),
    items: Type.Array(named(DeadLetterGroup)),
  },
  { $id: "DeadLetterGroupList", description: "Groups of dead letters, the largest first." },
);

export const TargetStatsQuery = Type.Object(
  { targetId: onlyTarget, ...TargetListQuery.properties },
  strict,
);

export const TargetStats = Type.Object(
  {
    targetId,
    paused: Type.Boolean({ description: "Whether it is paused." }),
    inFlight: number(
      "Messages in an attempt, on all nodes together. Those of a node that has just crashed count until another node finds them, within 20 seconds. Test deliveries are not among them.",
    ),
    maxConcurrency: Type.Integer({ minimum: 1, description: "How many it may have at once." }),
    waiting: named(Count),
    deadLetters: named(Count),
    lastHour: Type.Object(
      {
        attempts: number("How many attempts ended."),
        failed: number("How many of them did not deliver."),
      },
      { description: "In the last 60 minutes, this one included." },
    ),
  },
  {
    $id: "TargetStats",
    description:
      "How a target does: `waiting` messages are due and in no attempt, be it because it has as many attempts as it may, because of its rate limit, or because it is paused. These counts and those of `deadLetters` end at 100, or at 10,000 with `targetId`.",
  },
);

export const TargetStatsPage = Type.Object(
  { items: Type.Array(named(TargetStats)), ...pageFields },
  { $id: "TargetStatsPage", description: "One page of targets, by `targetId`." },
);
