import type { PageTokens, PageWalk } from "../../domain/page-token.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { readCursor, tokensOf } from "../paging/list-page.ts";
import type { Counted } from "./count-in-looks.ts";

/** As much of a count as one answer has. */
export interface CountPage<Item> {
  readonly count: number;
  /** False: there may be more. */
  readonly exact: boolean;
  /** The first of those that it has counted. */
  readonly sample: readonly Item[];
  /** Goes on with the count. Null: it is at its end. */
  readonly nextPageToken: string | null;
}

export interface CountPageOptions {
  readonly pageTokens: PageTokens;
}

/** What is counted. It stays the same while the filter does. */
export function countWalk(
  { accountId }: { readonly accountId: string },
  operation: string,
  counted: unknown,
): PageWalk {
  return {
    ...{ accountId, operation, targetId: null, minTime: null, maxTime: null },
    search: JSON.stringify(counted),
  };
}

/** Where an earlier count of the same walk has ended, as its look has told. Null: this one begins. */
export function readPlace(
  { pageTokens }: CountPageOptions,
  walk: PageWalk,
  pageToken: string | undefined,
): unknown {
  const cursor = readCursor(pageTokens, walk, pageToken, []);
  return cursor === null ? null : JSON.parse(cursor);
}

export function countPage<Item>(
  { pageTokens }: CountPageOptions,
  walk: PageWalk,
  { count, sample, lookedUntil }: Counted<Item, unknown>,
): CountPage<Item> {
  const isAtEnd = lookedUntil === null;
  const next = isAtEnd ? null : JSON.stringify(lookedUntil);
  const { nextPageToken } = tokensOf(pageTokens, walk, null, next);
  return { count, exact: isAtEnd, sample, nextPageToken };
}

/** A job that is not only counted has no pages. */
export function misplacedPageToken(pageToken: string | undefined): Problem[] {
  if (pageToken === undefined) return [];
  return [
    {
      code: codes.invalidRequest,
      message: "Leave out pageToken, or add dryRun: true: it goes on with a count.",
      field: "pageToken",
    },
  ];
}
