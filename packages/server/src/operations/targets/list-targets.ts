import type { Caller } from "../../domain/access.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import { viewTarget } from "./target-view.ts";
import type { TargetView, ViewTargetOptions } from "./target-view.ts";

export interface ListTargetsOptions extends ViewTargetOptions {
  readonly store: Pick<Store, "listTargets">;
  readonly pageTokens: PageTokens;
}

export interface TargetListQuery {
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The problems of form that earlier checks found. The fields concerned are missing here. */
  readonly problems: readonly Problem[];
}

export async function listTargets(
  options: ListTargetsOptions,
  caller: Caller,
  query: TargetListQuery,
): Promise<Page<TargetView>> {
  const { store, pageTokens } = options;
  const walk = {
    accountId: caller.accountId,
    operation: "listTargets",
    targetId: null,
    minTime: null,
    maxTime: null,
  };
  const cursor = readCursor(pageTokens, walk, query.pageToken, [...query.problems]);
  const limit = query.limit ?? defaultPageSize;
  const found = await store.listTargets(caller.accountId, { after: cursor, limit: limit + 1 });
  const page = makePage({
    tokens: pageTokens,
    walk,
    cursor,
    limit,
    found,
    cursorOf: (target) => target.targetId,
  });
  return { ...page, items: page.items.map((target) => viewTarget(options, target)) };
}
