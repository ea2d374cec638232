import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { isJobId } from "../../platform/job-ids.ts";
import type { JobRef } from "../../storage/store.ts";

export const jobNotFound: Problem = {
  code: codes.jobNotFound,
  message:
    "There is no such job. It may have ended long ago. Otherwise correct the jobId, or list the jobs.",
};

/** Refuses an id that no job can have before the store sees it. Some stores fail on such a text. */
export function jobRef({ accountId }: Caller, jobId: string): JobRef {
  if (!isJobId(jobId)) throw new RequestRefused(jobNotFound);
  return { accountId, jobId };
}
