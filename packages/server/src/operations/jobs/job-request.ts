import type { Caller } from "../../domain/access.ts";
import type { JobOrder } from "../../domain/job.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { targetIdPattern } from "../../domain/target.ts";
import type { Store } from "../../storage/store.ts";
import { noSuchTarget } from "../messages/message-draft.ts";
import { targetNotFound } from "../targets/target-view.ts";
import { readOrder } from "./given-job.ts";
import type { GivenJob } from "./given-job.ts";

export interface JobRequest {
  readonly given: GivenJob;
  /** The problems of form that earlier checks found. The fields concerned are missing in `given`. */
  readonly problems: readonly Problem[];
  /** Where the caller names the target. It stands in the filter either way. */
  readonly targetIn: "filter" | "path";
}

/** Reads what the caller asks for, or refuses it with all its problems. */
export async function readJobRequest(
  store: Pick<Store, "getTarget">,
  { accountId }: Caller,
  request: JobRequest,
  further: readonly Problem[] = [],
): Promise<JobOrder> {
  const problems = [...request.problems];
  const order = readOrder(request.given, problems);
  problems.push(...further);
  const targetId = request.given.filter?.targetId;
  if (order !== undefined && problems.length === 0) {
    // Some stores cannot search for a malformed id.
    if (targetId === undefined || targetIdPattern.test(targetId)) return order;
  }
  if (targetId !== undefined && !(await hasTarget(store, accountId, targetId))) {
    problems.push(missingTarget(request, targetId));
  }
  throw new RequestRefused(...problems);
}

export async function hasTarget(
  store: Pick<Store, "getTarget">,
  accountId: string,
  targetId: string,
): Promise<boolean> {
  if (!targetIdPattern.test(targetId)) return false;
  return (await store.getTarget({ accountId, targetId })) !== undefined;
}

export function missingTarget(
  { targetIn }: Pick<JobRequest, "targetIn">,
  targetId: string,
): Problem {
  return targetIn === "path"
    ? targetNotFound(targetId)
    : { ...noSuchTarget(targetId), field: "filter.targetId" };
}
