import { givenTime, named, strict, targetId } from "./fields.ts";
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

export const TargetPath = Type.Object({ targetId });
