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
