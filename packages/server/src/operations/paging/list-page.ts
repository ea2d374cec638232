import type { Instant } from "../../domain/message.ts";
import type { PageTokens, PageWalk } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly pageToken: string;
  /** Null on the last page. */
  readonly nextPageToken: string | null;
}

export const defaultPageSize = 20;

/** The cursor of the first page: nothing comes before it. */
const start = "";

/** The cursor after which the requested page begins. Null for the first page. */
export function readCursor(
  tokens: PageTokens,
  walk: PageWalk,
  pageToken: string | undefined,
  problems: Problem[],
): string | null {
  const cursor = pageToken === undefined ? start : tokens.read(walk, pageToken);
  if (cursor === undefined) {
    problems.push({
      code: codes.invalidPageToken,
      message:
        "pageToken does not belong to this list with these filters. Send nextPageToken unchanged with the same filters, or start without a token.",
      field: "pageToken",
    });
  }
  if (problems.length > 0) throw new RequestRefused(...problems);
  return cursor === undefined || cursor === start ? null : cursor;
}

export interface PageOptions<Item> {
  readonly tokens: PageTokens;
  readonly walk: PageWalk;
  readonly cursor: string | null;
  readonly limit: number;
  /** Up to one item more than the limit, which shows that there is a next page. */
  readonly found: readonly Item[];
  readonly cursorOf: (item: Item) => string;
}

export function makePage<Item>(options: PageOptions<Item>): Page<Item> {
  const { tokens, walk, cursor, limit, found, cursorOf } = options;
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const next = found.length > limit && last !== undefined ? cursorOf(last) : null;
  return { items, ...tokensOf(tokens, walk, cursor, next) };
}

/** The tokens of a page that begins after one cursor and ends at another. Null: at the start or the end. */
export function tokensOf(
  tokens: PageTokens,
  walk: PageWalk,
  cursor: string | null,
  next: string | null,
): Pick<Page<unknown>, "pageToken" | "nextPageToken"> {
  return {
    pageToken: tokens.issue(walk, cursor ?? start),
    nextPageToken: next === null ? null : tokens.issue(walk, next),
  };
}

export interface TimedCursor {
  readonly time: Instant;
  readonly id: string;
}

export function formatTimedCursor({ time, id }: TimedCursor): string {
  return `${time} ${id}`;
}

/** Cursors come from signed tokens only, so the format is always valid. */
export function parseTimedCursor(cursor: string): TimedCursor {
  const space = cursor.indexOf(" ");
  return { time: Number(cursor.slice(0, space)), id: cursor.slice(space + 1) };
}
