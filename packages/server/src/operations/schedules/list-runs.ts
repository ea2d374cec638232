import type { Caller } from "../../domain/access.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { RunView, Store } from "../../storage/store.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";
import { scheduleNotFound, scheduleRef } from "./schedule-ref.ts";

export interface ListRunsOptions {
  readonly store: Pick<Store, "listRuns">;
  readonly pageTokens: PageTokens;
}

export interface RunListQuery {
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

/** The newest run time first. */
export async function listRuns(
  { store, pageTokens }: ListRunsOptions,
  caller: Caller,
  scheduleId: string,
  query: RunListQuery,
): Promise<Page<RunView>> {
  const ref = scheduleRef(caller, scheduleId);
  const walk = {
    ...{ accountId: caller.accountId, operation: "listRuns", search: scheduleId },
    ...{ targetId: null, minTime: null, maxTime: null },
  };
  const cursor = readCursor(pageTokens, walk, query.pageToken, [...query.problems]);
  const limit = query.limit ?? defaultPageSize;
  const before = cursor === null ? null : Number(cursor);
  const found = await store.listRuns({ ...ref, before, limit: limit + 1 });
  if (found === undefined) throw new RequestRefused(scheduleNotFound);
  return makePage({
    ...{ tokens: pageTokens, walk, cursor, limit, found },
    cursorOf: ({ runTime }) => String(runTime),
  });
}
