import type { Caller } from "../domain/access.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { PageTokens } from "../domain/page-token.ts";
import type { Problem } from "../domain/refusals.ts";
import type { ListRequest } from "../storage/store.ts";
import { readGivenTime } from "./given-time.ts";
import {
  defaultPageSize,
  formatTimedCursor,
  makePage,
  parseTimedCursor,
  readCursor,
} from "./list-page.ts";
import type { Page } from "./list-page.ts";

export interface MessageListQuery {
  readonly minTime?: string | undefined;
  readonly maxTime?: string | undefined;
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** What was wrong with the form of the parts that are missing here. */
  readonly problems: readonly Problem[];
}

export interface MessageListOptions {
  readonly pageTokens: PageTokens;
  readonly operation: string;
  readonly find: (request: ListRequest) => Promise<Message[]>;
  /** The time that the list is ordered and filtered by. */
  readonly timeOf: (message: Message) => Instant | null;
}

/** What the two lists of messages have in common: a target's messages of one state, by one time. */
export async function listMessages(
  { pageTokens, operation, find, timeOf }: MessageListOptions,
  caller: Caller,
  targetId: string,
  query: MessageListQuery,
): Promise<Page<Message>> {
  const problems = [...query.problems];
  const minTime = readGivenTime(query.minTime, "minTime", problems) ?? null;
  const maxTime = readGivenTime(query.maxTime, "maxTime", problems) ?? null;
  if (minTime !== null && maxTime !== null && minTime > maxTime) {
    problems.push({
      code: "E-DI-1001",
      message: "minTime is later than maxTime. Exchange them, or leave one out.",
      field: "minTime",
    });
  }
  const { accountId } = caller;
  const walk = { accountId, operation, targetId, minTime, maxTime };
  // With other problems the filters may be incomplete, and the token would be blamed for it.
  const token = problems.length > 0 ? undefined : query.pageToken;
  const cursor = readCursor(pageTokens, walk, token, problems);
  const limit = query.limit ?? defaultPageSize;
  const found = await find({
    accountId,
    targetId,
    minTime,
    maxTime,
    after: cursor === null ? null : parseTimedCursor(cursor),
    limit: limit + 1,
  });
  return makePage({
    tokens: pageTokens,
    walk,
    cursor,
    limit,
    found,
    cursorOf: (message) => {
      const time = timeOf(message);
      if (time === null) throw new Error("a listed message lacks the time its list is ordered by");
      return formatTimedCursor({ time, messageId: message.messageId });
    },
  });
}
