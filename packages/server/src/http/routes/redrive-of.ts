import type { GivenJob } from "../../operations/jobs/given-job.ts";
import type { JobRequest } from "../../operations/jobs/job-request.ts";

/** What a redrive of the target that the path names asks for. */
export function redriveOf(targetId: string, given: Omit<GivenJob, "action">): JobRequest["given"] {
  return { ...given, action: "redrive", filter: { ...given.filter, targetId } };
}
