import type { Caller } from "../../domain/access.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { ListedSchedule, Store } from "../../storage/store.ts";
import { readTargetId } from "../messages/given-search.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";

export interface ListSchedulesOptions {
  readonly store: Pick<Store, "listSchedules">;
  readonly pageTokens: PageTokens;
}

export interface ScheduleListQuery {
  readonly targetId?: string | undefined;
  readonly paused?: "true" | "false" | undefined;
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

/** By their ids. */
export async function listSchedules(
  { store, pageTokens }: ListSchedulesOptions,
  { accountId }: Caller,
  query: ScheduleListQuery,
): Promise<Page<ListedSchedule>> {
  const problems = [...query.problems];
  const targetId = readTargetId(query.targetId, problems);
  const paused = query.paused === undefined ? null : query.paused === "true";
  const walk = {
    ...{ accountId, operation: "listSchedules", targetId, minTime: null, maxTime: null },
    ...(paused !== null && { search: `paused ${paused}` }),
  };
  // If there are other problems, the filters may be incomplete, and a valid token would not match them.
  const token = problems.length > 0 ? undefined : query.pageToken;
  const cursor = readCursor(pageTokens, walk, token, problems);
  const limit = query.limit ?? defaultPageSize;
  const filter = { accountId, targetId, paused };
  const found = await store.listSchedules({ ...filter, after: cursor, limit: limit + 1 });
  return makePage({
    ...{ tokens: pageTokens, walk, cursor, limit, found },
    cursorOf: ({ scheduleId }) => scheduleId,
  });
}
