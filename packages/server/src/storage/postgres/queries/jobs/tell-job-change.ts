import { jobChangeType, jobEvent } from "../../../../domain/events/other-events.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { Job } from "../../../../domain/job.ts";
import type { Run } from "../../connections/connections.ts";
import { tellFacts } from "../../events/tell-facts.ts";

/** The job is locked. */
export async function tellJobChange(
  run: Run,
  before: Job,
  after: Job,
  now: Instant,
): Promise<void> {
  const type = jobChangeType(before, after);
  if (type === undefined) return;
  await tellFacts(run, [{ accountId: after.accountId, facts: jobEvent(type, after, now) }]);
}
