import { mostLookedAtByStep } from "../../../../domain/job.ts";
import type { Job, JobCursor } from "../../../../domain/job.ts";
import type { Run } from "../../connections/connections.ts";
import type { Candidate } from "./take-turns.ts";
import { walkOn } from "./walk.ts";

/** The fewest messages that one look reads. */
const fewestAtOnce = 50;

export interface FoundByWalk {
  readonly found: readonly Candidate[];
  /** Up to where it has looked; null: the walk is at its end. */
  readonly cursor: JobCursor | null;
}

/**
 * The next messages of the walk that match. Looks at more and more of them at once, because most steps find
 * enough among the first.
 */
export async function findFirstTurns(run: Run, job: Job, limit: number): Promise<FoundByWalk> {
  const found: Candidate[] = [];
  let { cursor } = job.progress;
  let looked = 0;
  for (let most = Math.max(limit, fewestAtOnce); looked < mostLookedAtByStep; most *= 2) {
    const atOnce = Math.min(most, mostLookedAtByStep - looked);
    const walked = await walkOn(run, job, { after: cursor, limit: atOnce });
    for (const { key, position, matched } of walked) {
      cursor = position;
      if (matched === undefined) continue;
      const { targetKey, message } = matched;
      found.push({ key, targetKey, targetId: message.targetId });
      if (found.length === limit) return { found, cursor };
    }
    if (walked.length < atOnce) return { found, cursor: null };
    looked += walked.length;
  }
  return { found, cursor };
}
