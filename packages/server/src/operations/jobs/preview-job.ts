import type { Caller } from "../../domain/access.ts";
import type { JobCursor } from "../../domain/job.ts";
import type { Message } from "../../domain/message.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { countInLooks } from "./count-in-looks.ts";
import type { CountOptions } from "./count-in-looks.ts";
import { countPage, countWalk, readPlace } from "./count-page.ts";
import type { CountPage, CountPageOptions } from "./count-page.ts";
import { hasTarget, missingTarget, readJobRequest } from "./job-request.ts";
import type { JobRequest } from "./job-request.ts";

export interface PreviewJobOptions extends CountOptions, CountPageOptions {
  readonly store: Pick<Store, "lookForJob" | "getTarget" | "clock">;
}

export type JobPreview = CountPage<Message>;

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
  const walk = countWalk(caller, "previewJob", [order.action, order.filter, order.byMs]);
  const begin = readPlace(options, walk, request.given.pageToken) as JobCursor | null;
  const counted = await countInLooks<Message, JobCursor>(options, asker, begin, (after, sample) =>
    store.lookForJob({ order, time, after, sample }),
  );
  return countPage(options, walk, counted);
}
