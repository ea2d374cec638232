import type { Caller } from "../../domain/access.ts";
import type { Job } from "../../domain/job.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { defaultPageSize, makePage, readCursor } from "../paging/list-page.ts";
import type { Page } from "../paging/list-page.ts";

export interface ListJobsOptions {
  readonly store: Pick<Store, "listJobs">;
  readonly pageTokens: PageTokens;
}

export interface JobListQuery {
  readonly pageToken?: string | undefined;
  readonly limit?: number | undefined;
  /** The schema problems of parameters that are left out here. */
  readonly problems: readonly Problem[];
}

/** The newest first. */
export async function listJobs(
  { store, pageTokens }: ListJobsOptions,
  { accountId }: Caller,
  query: JobListQuery,
): Promise<Page<Job>> {
  const walk = {
    ...{ accountId, operation: "listJobs" },
    ...{ targetId: null, minTime: null, maxTime: null },
  };
  const cursor = readCursor(pageTokens, walk, query.pageToken, [...query.problems]);
  const limit = query.limit ?? defaultPageSize;
  const found = await store.listJobs(accountId, { after: cursor, limit: limit + 1 });
  return makePage({
    ...{ tokens: pageTokens, walk, cursor, limit, found },
    cursorOf: ({ jobId }) => jobId,
  });
}
