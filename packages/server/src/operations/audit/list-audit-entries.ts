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
  /** What was wrong with the form of the parts that are missing here. */
  readonly problems: readonly Problem[];
}

/** What was done to the caller's account and everything of it. */
export function listAuditEntries(
  options: ListAuditOptions,
  { accountId }: Caller,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  return walkEntries(options, { walkId: accountId, of: null, accountId }, query);
}

/** The same for the operator: of an account, also of one that was removed. */
export function listAccountAuditEntries(
  options: ListAuditOptions,
  _operator: Operator,
  accountId: string,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  return walkEntries(options, { walkId: operatorWalkId, of: accountId, accountId }, query);
}

/** Of all accounts, and what belongs to the service itself. */
export function listAllAuditEntries(
  options: ListAuditOptions,
  _operator: Operator,
  query: AuditListQuery,
): Promise<Page<AuditEntry>> {
  return walkEntries(options, { walkId: operatorWalkId, of: null, accountId: null }, query);
}

interface AuditWalk {
  readonly walkId: string;
  /** The account that the operator has named. */
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
  // With other problems the filters may be incomplete, and the token would be blamed for it.
  const token = problems.length > 0 ? undefined : query.pageToken;
  const cursor = readCursor(pageTokens, walk, token, problems);
  const limit = query.limit ?? defaultPageSize;
  const behind = cursor === null ? null : parseTimedCursor(cursor);
  // Nothing was ever done to an account that cannot be, and not every store could look for it.
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
