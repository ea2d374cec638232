import { mostWatched } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import type { JobTally } from "../../../job-tally.ts";
import type { MetMessage } from "../../rows/job-rows.ts";
import type { Candidate, Turn } from "./take-turns.ts";

export type Turns = ReadonlyMap<Candidate, Turn>;

/** Counts the first turns of messages. Returns what is to be kept of them. */
export function countFirstTurns(job: Job, turns: Turns, tally: JobTally): MetMessage[] {
  return [...turns].flatMap(([{ key }, turn]): MetMessage[] => {
    // As if it had changed before the walk came to it.
    if (turn.kind === "unmatched") return [];
    tally.met++;
    if (turn.kind !== "in-flight") return [countLastTurn(job, key, turn, tally)];
    tally.waiting++;
    return [{ key, stage: "waiting" }];
  });
}

/** `isLast`: there is no third turn for messages that are still in flight. */
export function countSecondTurns(
  job: Job,
  turns: Turns,
  isLast: boolean,
  tally: JobTally,
): MetMessage[] {
  return [...turns].flatMap(([{ key }, turn]): MetMessage[] => {
    if (turn.kind === "in-flight" && !isLast) return [];
    tally.waiting--;
    return [countLastTurn(job, key, turn, tally)];
  });
}

function countLastTurn(
  { action, progress }: Job,
  key: string,
  turn: Turn,
  tally: JobTally,
): MetMessage {
  if (turn.kind !== "done") {
    tally[turn.kind === "in-flight" ? "inFlight" : "changed"]++;
    return { key, stage: "handled" };
  }
  const { targetKey, after } = turn.change;
  tally.countDone(targetKey, after);
  const isWatched = action === "redrive" && progress.watched + tally.watched < mostWatched;
  if (!isWatched) return { key, stage: "handled" };
  tally.watched++;
  return { key, stage: "watched", attemptCount: after.attemptCount };
}
