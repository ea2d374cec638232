import { givenTime, named, printable, strict, targetId, timeOrNull } from "./fields.ts";
import { Message } from "./messages.ts";
import { Type } from "./type.ts";

const pageToken = Type.String({
  description: "The `nextPageToken` of the page before. Send the same filters with it.",
});

const limit = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 20,
  description: "How many items a page may have.",
});

export const MessageListQuery = Type.Object(
  {
    minTime: Type.Optional(givenTime("Only items at this time or later.")),
    maxTime: Type.Optional(givenTime("Only items at this time or earlier.")),
    pageToken: Type.Optional(pageToken),
    limit: Type.Optional(limit),
  },
  strict,
);

export const FindMessagesQuery = Type.Object(
  {
    state: Type.Optional(
      Type.String({
        description: "Only messages in one of these states, separated by commas.",
        examples: ["SCHEDULED,DEAD_LETTER"],
      }),
    ),
    targetId: Type.Optional(
      Type.String({ description: "Only messages for this target.", examples: ["orders"] }),
    ),
    label: Type.Optional(
      Type.String({
        description:
          "Only messages with all these labels: up to 8 of the form `name:value`, separated by commas. In a value, write a comma as `\\,` and a backslash as `\\\\`.",
        examples: ["order:4711,region:eu"],
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: printable,
        description: "Only messages that have or had this key.",
        examples: ["digest-of-4711"],
      }),
    ),
    scheduleId: Type.Optional(
      Type.String({
        description: "Only messages that this recurring schedule has made.",
        examples: ["weekday-digest"],
      }),
    ),
    minTime: Type.Optional(givenTime("Only messages that were scheduled at this time or later.")),
    maxTime: Type.Optional(givenTime("Only messages that were scheduled at this time or earlier.")),
    order: Type.Optional(
      Type.Unsafe<"newest" | "oldest">({
        type: "string",
        enum: ["newest", "oldest"],
        default: "newest",
        description: "Which come first: the messages scheduled last, or those scheduled first.",
      }),
    ),
    pageToken: Type.Optional(pageToken),
    limit: Type.Optional(limit),
  },
  strict,
);

export const TargetListQuery = Type.Object(
  { pageToken: Type.Optional(pageToken), limit: Type.Optional(limit) },
  strict,
);

export const NoQuery = Type.Object({}, strict);

/** The fields of every page, besides its items. */
export const pageFields = {
  count: Type.Integer({ minimum: 0, description: "How many items this page has." }),
  pageToken: Type.String({ description: "Token of this page." }),
  nextPageToken: Type.Unsafe<string | null>({
    type: ["string", "null"],
    description: "Token of the next page; null on the last one.",
  }),
};

export const MessagePage = Type.Object(
  { items: Type.Array(named(Message)), ...pageFields },
  { $id: "MessagePage", description: "One page of messages." },
);

export const FoundMessagePage = Type.Object(
  {
    ...MessagePage.properties,
    searchedUntil: timeOrNull(
      "How far the search has come, as a full minute: of the messages scheduled after this time, or before it with `order=oldest`, none is left to look at. Null once the search is complete.",
    ),
  },
  {
    $id: "FoundMessagePage",
    description:
      "One page of found messages. It may be short or empty while `nextPageToken` is not null: one call looks at a bounded number of messages.",
  },
);

export const TargetPath = Type.Object({ targetId });
