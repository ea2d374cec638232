import type { MessageState } from "./messages.ts";

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** How many items this page has. */
  count: number;
  /** Token of this page. */
  pageToken: string;
  /** Token of the next page; null on the last one. */
  nextPageToken: string | null;
}

export interface PageQuery {
  /** How many items a page has: 1 to 100. */
  limit?: number;
  /** Begins at this page: a `pageToken` or `nextPageToken` of the same list. */
  pageToken?: string;
}

export interface TimeQuery extends PageQuery {
  /** Only items at this time or later. */
  minTime?: Date | string;
  /** Only items at this time or earlier. */
  maxTime?: Date | string;
}

export interface FindQuery extends TimeQuery {
  /** Only messages in this state, or in one of these. */
  state?: MessageState | readonly MessageState[];
  /** Only messages for this target. */
  targetId?: string;
  /** Only messages with all these labels. */
  labels?: Readonly<Record<string, string>>;
  /** Only messages that have or had this key. */
  key?: string;
  /** Only messages that this recurring schedule has made. */
  scheduleId?: string;
  /** Which come first: the messages scheduled last (`newest`, the default), or those scheduled first. */
  order?: "newest" | "oldest";
}

/** What a page of found messages has besides. It may be short or empty while `nextPageToken` is not null. */
export interface SearchProgress {
  /** How far the search has come, as a full minute; null once it is complete. */
  searchedUntil: string | null;
}
