import type { Caller } from "../../domain/access.ts";
import type { Instant, Message } from "../../domain/message.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { ListRequest } from "../../storage/store.ts";
import { readTimeSpan } from "./given-time.ts";
import {
  defaultPageSize,
  formatTimedCursor,
  makePage,
  parseTimedCursor,
  readCursor,
} from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";

export interface MessageListQuery {
  readonly minTime?: string | undefined;
  readonly maxTime?: string | undefined;
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

export interface MessageListOptions {
  readonly pageTokens: PageTokens;
  readonly operation: string;
  readonly find: (request: ListRequest) => Promise<Message[]>;
  /** The time by which the list is ordered and filtered. */
  readonly timeOf: (message: Message) => Instant | null;
}

/** Lists the messages of a target in one state, ordered by one time. Both lists of messages use it. */
export async function listMessages(
  { pageTokens, operation, find, timeOf }: MessageListOptions,
  caller: Caller,
  targetId: string,
  query: MessageListQuery,
): Promise<Page<Message>> {
  const problems = [...query.problems];
  const { minTime, maxTime } = readTimeSpan(query, problems);
  const { accountId } = caller;
  const walk = { accountId, operation, targetId, minTime, maxTime };
  // If there are other problems, the filters may be incomplete, and a valid token would not match them.
  const token = problems.length > 0 ? undefined : query.pageToken;
  const cursor = readCursor(pageTokens, walk, token, problems);
  const limit = query.limit ?? defaultPageSize;
  const behind = cursor === null ? null : parseTimedCursor(cursor);
  const request = {
    accountId,
    targetId,
    minTime,
    maxTime,
    after: behind && { time: behind.time, messageId: behind.id },
    limit: limit + 1,
  };
  // A malformed target id has no messages, and some stores cannot search for such text.
  const found = targetIdPattern.test(targetId) ? await find(request) : [];
  return makePage({
    tokens: pageTokens,
    walk,
    cursor,
    limit,
    found,
    cursorOf: (message) => {
      const time = timeOf(message);
      if (time === null) throw new Error("a listed message lacks the time its list is ordered by");
      return formatTimedCursor({ time, id: message.messageId });
    },
  });
}
