import type { Caller } from "../../domain/access.ts";
import type { Job } from "../../domain/job.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { jobNotFound, jobRef } from "./job-ref.ts";

export interface GetJobOptions {
  readonly store: Pick<Store, "getJob">;
}

export async function getJob(
  { store }: GetJobOptions,
  caller: Caller,
  jobId: string,
): Promise<Job> {
  const job = await store.getJob(jobRef(caller, jobId));
  if (job === undefined) throw new RequestRefused(jobNotFound);
  return job;
}
