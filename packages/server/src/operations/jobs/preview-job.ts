import type { Caller } from "../../domain/access.ts";
import type { JobCursor } from "../../domain/job.ts";
import type { Message } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { countInLooks } from "./count-in-looks.ts";
import type { Counted, CountOptions } from "./count-in-looks.ts";
import { hasTarget, missingTarget, readJobRequest } from "./job-request.ts";
import type { JobRequest } from "./job-request.ts";

export interface PreviewJobOptions extends CountOptions {
  readonly store: Pick<Store, "lookForJob" | "getTarget" | "clock">;
}

export type JobPreview = Counted<Message>;

/** Counts what a job would change. */
export async function previewJob(
  options: PreviewJobOptions,
  caller: Caller,
  request: JobRequest,
  callerGone: AbortSignal,
): Promise<JobPreview> {
  const { store } = options;
  const { accountId } = caller;
  const asked = await readJobRequest(store, caller, request);
  const { targetId } = asked.filter;
  if (targetId !== null && !(await hasTarget(store, accountId, targetId))) {
    throw new RequestRefused(missingTarget(request, targetId));
  }
  const order = { ...asked, accountId };
  const time = store.clock.now();
  const asker = { accountId, gone: callerGone };
  return countInLooks<Message, JobCursor>(options, asker, (after, sample) =>
    store.lookForJob({ order, time, after, sample }),
  );
}
