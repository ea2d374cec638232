import type { Caller } from "../../domain/access.ts";
import { idTimesOf } from "../../domain/message-search.ts";
import type { SearchOrder } from "../../domain/message-search.ts";
import type { Instant, Message } from "../../domain/message.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import { parseMessageId, timeOfSequence } from "../../platform/message-ids.ts";
import type { Store } from "../../storage/store.ts";
import { defaultPageSize, readCursor, tokensOf } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import { readSearch, searchText } from "./given-search.ts";
import type { GivenSearch } from "./given-search.ts";

export interface FindMessagesOptions {
  readonly store: Pick<Store, "findMessages" | "clock">;
  readonly pageTokens: PageTokens;
}

export interface FindMessagesQuery extends GivenSearch {
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

export interface FoundPage extends Page<Message> {
  /** A full minute. Null once the search is complete. */
  readonly searchedUntil: Instant | null;
}

/** Finds messages of the account, in all states and for all targets. */
export async function findMessages(
  { store, pageTokens }: FindMessagesOptions,
  { accountId }: Caller,
  query: FindMessagesQuery,
): Promise<FoundPage> {
  const problems = [...query.problems];
  const search = readSearch(query, problems);
  const { targetId, minTime, maxTime } = search;
  const walk = {
    ...{ accountId, operation: "findMessages", targetId, minTime, maxTime },
    search: searchText(search),
  };
  // If there are other problems, the filters may be incomplete, and a valid token would not match them.
  const token = problems.length > 0 ? undefined : query.pageToken;
  const after = readCursor(pageTokens, walk, token, problems);
  const limit = query.limit ?? defaultPageSize;
  const { messages, lookedUntil } = await store.findMessages({
    ...search,
    accountId,
    idTimes: idTimesOf(search, store.clock.now()),
    after,
    limit: limit + 1,
  });
  const items = messages.slice(0, limit);
  const next = messages.length > limit ? items.at(-1)!.messageId : lookedUntil;
  return {
    items,
    ...tokensOf(pageTokens, walk, after, next),
    searchedUntil: next === null ? null : minuteBy(timeIn(next), search.order),
  };
}

/** Ids in cursors come from the store or from signed tokens, so they are always valid. */
function timeIn(messageId: string): Instant {
  return timeOfSequence(parseMessageId(messageId)!.sequence);
}

const minuteMs = 60_000;

/**
 * The full minute up to which nothing is left to look at. The search may have ended at a message of another
 * account, and nobody needs to know when exactly that was scheduled.
 */
function minuteBy(time: Instant, order: SearchOrder): Instant {
  const minutes = time / minuteMs;
  return minuteMs * (order === "newest" ? Math.ceil(minutes) : Math.floor(minutes));
}
