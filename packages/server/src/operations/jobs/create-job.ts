import type { Caller } from "../../domain/access.ts";
import type { Store } from "../../storage/store.ts";
import { idempotencyKeyProblem } from "../messages/idempotency.ts";
import { misplacedPageToken } from "./count-page.ts";
import { idempotencyOfJob } from "./job-idempotency.ts";
import { missingTarget, readJobRequest } from "./job-request.ts";
import type { JobRequest } from "./job-request.ts";
import { startJob } from "./start-job.ts";
import type { CreatedJob, StartJobOptions } from "./start-job.ts";

export interface CreateJobOptions extends StartJobOptions {
  readonly store: Pick<Store, "createJob" | "getTarget">;
}

export async function createJob(
  options: CreateJobOptions,
  caller: Caller,
  request: JobRequest,
  idempotencyKey: string | undefined,
): Promise<CreatedJob> {
  const badKey = idempotencyKeyProblem(idempotencyKey);
  const further = [
    ...misplacedPageToken(request.given.pageToken),
    ...(badKey === undefined ? [] : [badKey]),
  ];
  const order = await readJobRequest(options.store, caller, request, further);
  return startJob(options, caller, order, {
    idempotency: idempotencyOfJob(idempotencyKey, order, request.given),
    noTarget: (targetId) => missingTarget(request, targetId),
  });
}
