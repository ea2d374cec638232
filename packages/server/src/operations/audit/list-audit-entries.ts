import type { Caller, Operator } from "../../domain/access.ts";
import { accountIdPattern } from "../../domain/account.ts";
import type { AuditEntry } from "../../domain/audit.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { readTimeSpan } from "../messages/given-time.ts";
import {
  defaultPageSize,
  formatTimedCursor,
  makePage,
  parseTimedCursor,
  readCursor,
} from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import { operatorWalkId } from "../paging/operator-walk.ts";

export interface ListAuditOptions {
  readonly store: Pick<Store, "listAuditEntries">;
  readonly pageTokens: PageTokens;
}

export interface AuditListQuery {
  readonly minTime?: string | undefined;
  readonly maxTime?: string | undefined;
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

/** Lists what was done to the caller's account and to everything in it. */
export function listAuditEntries(
  options: ListAuditOptions,
  { accountId }: Caller,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  return walkEntries(options, { walkId: accountId, of: null, accountId }, query);
}

/** Lists the same for the operator, for any account, also one that was removed. */
export function listAccountAuditEntries(
  options: ListAuditOptions,
  _operator: Operator,
  accountId: string,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  return walkEntries(options, { walkId: operatorWalkId, of: accountId, accountId }, query);
}

/** Lists what was done to all accounts and to the service itself. */
export function listAllAuditEntries(
  options: ListAuditOptions,
  _operator: Operator,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  return walkEntries(options, { walkId: operatorWalkId, of: null, accountId: null }, query);
}

interface AuditWalk {
  readonly walkId: string;
  /** The account that the operator named. */
  readonly of: string | null;
  readonly accountId: string | null;
}

async function walkEntries(
  { store, pageTokens }: ListAuditOptions,
  { walkId, of, accountId }: AuditWalk,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  const problems = [...query.problems];
  const { minTime, maxTime } = readTimeSpan(query, problems);
  const walk = { accountId: walkId, operation: "listAudit", targetId: of, minTime, maxTime };
  // If there are other problems, the filters may be incomplete, and a valid token would not match them.
  const token = problems.length > 0 ? undefined : query.pageToken;
  const cursor = readCursor(pageTokens, walk, token, problems);
  const limit = query.limit ?? defaultPageSize;
  const behind = cursor === null ? null : parseTimedCursor(cursor);
  // An account with a malformed id has no entries, and some stores cannot search for such text.
  const possible = accountId === null || accountIdPattern.test(accountId);
  const found = possible
    ? await store.listAuditEntries({
        accountId,
        minTime,
        maxTime,
        after: behind && { time: behind.time, entryId: behind.id },
        limit: limit + 1,
      })
    : [];
  return makePage({
    tokens: pageTokens,
    walk,
    cursor,
    limit,
    found,
    cursorOf: (entry) => formatTimedCursor({ time: entry.time, id: entry.entryId }),
  });
}
