import type { Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import { operatorWalkId } from "../paging/operator-walk.ts";

export interface ListAccountsOptions {
  readonly store: Pick<Store, "listAccounts">;
  readonly pageTokens: PageTokens;
}

export interface AccountListQuery {
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

export async function listAccounts(
  { store, pageTokens }: ListAccountsOptions,
  _operator: Operator,
  query: AccountListQuery,
): Promise<Page<Account>> {
  const walk = {
    accountId: operatorWalkId,
    operation: "listAccounts",
    targetId: null,
    minTime: null,
    maxTime: null,
  };
  const cursor = readCursor(pageTokens, walk, query.pageToken, [...query.problems]);
  const limit = query.limit ?? defaultPageSize;
  const found = await store.listAccounts({ after: cursor, limit: limit + 1 });
  return makePage({
    tokens: pageTokens,
    walk,
    cursor,
    limit,
    found,
    cursorOf: (account) => account.accountId,
  });
}
