import { Attempt } from "./attempts.ts";
import { eventTypePatterns, eventTypes } from "./events.ts";
import { chosenId, givenTime, named, strict, textOrNull, time, timeOrNull } from "./fields.ts";
import { pageFields, TargetListQuery } from "./lists.ts";
import { labels } from "./message-options.ts";
import { orNull } from "./target-kinds/target-kind-schema.ts";
import { webhook } from "./target-kinds/webhook.ts";
import { signingSecret } from "./target-schemas.ts";
import { Type } from "./type.ts";

type EventTypePattern = (typeof eventTypes)[number] | (typeof eventTypePatterns)[number];

const endpointId = Type.String({
  description: "Identifier of the event endpoint.",
  examples: ["dead-letters"],
});

const kind = Type.Unsafe<"stream" | "webhook">({
  type: "string",
  enum: ["stream", "webhook"],
  description: [
    "`stream`: callers read the events.",
    "`webhook`: the service also sends them to an address, in order, each until the receiver has taken it.",
  ].join(" "),
});

const typeList = Type.Array(
  Type.Unsafe<EventTypePattern>({ type: "string", enum: [...eventTypes, ...eventTypePatterns] }),
  {
    minItems: 1,
    maxItems: 64,
    description:
      "Which types of events: `message.dead_lettered`, or all of a noun, such as `message.*`. All but `message.scheduled` and `message.attempt_failed` if it is left out.",
    examples: [["message.dead_lettered", "target.*"]],
  },
);

const targetIdList = Type.Array(Type.String({ pattern: chosenId, examples: ["orders"] }), {
  minItems: 1,
  maxItems: 100,
  description:
    "Only events that concern one of these targets. They need not exist yet. All if it is left out.",
});

const labelFilter = Type.Unsafe<Record<string, string>>({
  ...labels,
  description:
    "Only events of messages that have all of these labels. All events, also those of other things, if it is left out.",
});

const maxBatch = Type.Integer({
  minimum: 1,
  maximum: 100,
  description:
    "Of a webhook: the most events in one request; 1 by default. With 1, the body is an event (`application/cloudevents+json`); with more, a list of events (`application/cloudevents-batch+json`).",
});

const givenLabels = Type.Optional(
  Type.Unsafe<Record<string, string> | null>({ ...labelFilter, type: ["object", "null"] }),
);

const progressFields = {
  position: Type.String({
    description: "Everything up to this place in the log was delivered, or is not for it.",
    examples: ["MTo0MTc6NnQwem43cjRiZA"],
  }),
  behind: Type.Integer({
    minimum: 0,
    description:
      "How many events of the account stand in the log behind it. The endpoint may not get all of them.",
  }),
  failures: Type.Integer({
    minimum: 0,
    description: "How many requests have failed since the last that succeeded.",
  }),
  retryTime: timeOrNull("No request before this time; null: at once."),
  lastError: textOrNull("Why the last request failed; null if it succeeded."),
  lastSuccessTime: timeOrNull("When a request last succeeded."),
};

const shown = {
  endpointId,
  kind,
  types: Type.Unsafe<EventTypePattern[] | null>({
    type: ["array", "null"],
    items: typeList.items,
    description:
      "Which types of events; null: all but `message.scheduled` and `message.attempt_failed`.",
    examples: [["message.dead_lettered", "target.*"]],
  }),
  targetIds: Type.Unsafe<string[] | null>({
    type: ["array", "null"],
    items: targetIdList.items,
    description:
      "Only events that concern one of these targets; null: all, also those that concern none.",
  }),
  labels: Type.Unsafe<Record<string, string> | null>({
    type: ["object", "null"],
    additionalProperties: Type.String(),
    description:
      "Only events of messages that have all of these labels; null: all, also those of other things.",
  }),
  url: Type.Optional(Type.String({ description: "Of a webhook: where events are sent." })),
  headers: Type.Optional({
    ...webhook.shown.headers,
    description:
      'Of a webhook: headers of every request besides those of the service. Their values are never shown: each is `"set"`.',
  }),
  maxBatch: Type.Optional(maxBatch),
  paused: Type.Boolean({
    description: "While true, nothing is sent. What happens meanwhile is sent after a resume.",
  }),
  disabledTime: timeOrNull(
    "When the receiver answered 410, after which nothing is sent before a resume; null: it did not.",
  ),
  creationTime: time("When the endpoint was created. It gets what happens from then on."),
  updateTime: time("When a caller last changed it."),
  revision: Type.Integer({ minimum: 1, description: "Grows with every change by a caller." }),
  progress: Type.Optional(
    Type.Object(progressFields, { description: "Of a webhook: how far it is." }),
  ),
};

const example = {
  endpointId: "dead-letters",
  kind: "webhook",
  types: ["message.dead_lettered"],
  targetIds: null,
  labels: null,
  url: "https://ops.example.com/hooks/postdate",
  headers: {},
  maxBatch: 1,
  paused: false,
  disabledTime: null,
  creationTime: "2026-11-13T16:04:11.482Z",
  updateTime: "2026-11-13T16:04:11.482Z",
  revision: 1,
  progress: {
    position: "MTo0MTc6NnQwem43cjRiZA",
    behind: 0,
    failures: 0,
    retryTime: null,
    lastError: null,
    lastSuccessTime: "2026-11-14T09:45:12.410Z",
  },
};

const description = "A durable subscription to what happens in the account.";

export const EventEndpoint = Type.Object(shown, {
  $id: "EventEndpoint",
  description: `${description} Never with a secret.`,
  examples: [example],
});

export const EventEndpointWithSecret = Type.Object(
  {
    ...shown,
    secret: Type.Optional(
      Type.String({
        description: "Of a webhook: the signing secret. It is shown here and never again.",
        examples: ["whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hbi1leGFtcGxl"],
      }),
    ),
  },
  { $id: "EventEndpointWithSecret", description },
);

export const EventEndpointPage = Type.Object(
  { items: Type.Array(named(EventEndpoint)), ...pageFields },
  {
    $id: "EventEndpointPage",
    description: "The event endpoints of the account, by `endpointId`: ten at most.",
  },
);

const { url, headers } = webhook.given;
const changedHeaders = webhook.changed.headers;

export const CreateEventEndpoint = Type.Object(
  {
    endpointId: Type.Optional(
      Type.String({
        pattern: chosenId,
        description: "1 to 64 letters, digits, `_` and `-`; generated if it is left out.",
        examples: ["dead-letters"],
      }),
    ),
    kind,
    types: orNull(typeList),
    targetIds: orNull(targetIdList),
    labels: givenLabels,
    url: Type.Optional({
      ...url,
      description:
        "Of a webhook, which must have one: where events are sent, by POST. Private and special addresses are refused.",
    }),
    headers,
    maxBatch: Type.Optional(maxBatch),
    secret: Type.Optional(signingSecret),
  },
  {
    ...strict,
    $id: "CreateEventEndpoint",
    description:
      "A new event endpoint. `url`, `headers`, `maxBatch` and `secret` are only for a `webhook`.",
    examples: [
      {
        endpointId: "dead-letters",
        kind: "webhook",
        types: ["message.dead_lettered"],
        url: "https://ops.example.com/hooks/postdate",
      },
      { endpointId: "live", kind: "stream" },
    ],
  },
);

export const UpdateEventEndpoint = Type.Object(
  {
    types: orNull(typeList),
    targetIds: orNull(targetIdList),
    labels: givenLabels,
    url: Type.Optional(url),
    headers: changedHeaders,
    maxBatch: orNull(maxBatch),
  },
  {
    ...strict,
    $id: "UpdateEventEndpoint",
    description:
      "The fields to change. Each given field replaces the old value completely; null restores its default. Fields that are left out stay as they are.",
    examples: [{ types: ["message.dead_lettered", "target.failing"] }],
  },
);

export const RewindEventEndpoint = Type.Object(
  {
    to: givenTime(
      "Events of this time or later are sent again. Not before the endpoint was created; what has left the log does not come back. A time to come is refused.",
    ),
    skip: Type.Optional(
      Type.Boolean({
        description:
          "Whether events may be left out. Without it, a time ahead of the endpoint's position is refused if the endpoint would then never be sent some of its events.",
      }),
    ),
  },
  {
    ...strict,
    $id: "RewindEventEndpoint",
    description: "From when on to send again.",
    examples: [{ to: "2026-11-14T09:30:00Z" }],
  },
);

export const EventTestResult = Type.Object(
  {
    endpointId,
    eventId: Type.String({
      description: "The `id` of the event that was sent.",
      examples: ["evt_2y7c9k4m1x8v5q3w6t0zn7r4bd"],
    }),
    attempt: named(Attempt),
  },
  { $id: "EventTestResult", description: "The request of a test." },
);

export const EventEndpointPath = Type.Object({ endpointId });

export const EventEndpointListQuery = TargetListQuery;
