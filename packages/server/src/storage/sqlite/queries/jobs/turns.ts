import { decideByJob } from "../../../../domain/job-steps.ts";
import { mostLookedAtByStep, mostWatched } from "../../../../domain/job.ts";
import type { Job, JobCursor } from "../../../../domain/job.ts";
import type { Instant, TrackedMessage } from "../../../../domain/message.ts";
import type { JobTally } from "../../../job-tally.ts";
import type { StoredMessage } from "../../rows/message-columns.ts";
import type { StoredJob } from "../../tables/job-table.ts";
import { obstacles } from "../change-message.ts";
import type { Context } from "../context.ts";
import { beginSlice, piece } from "../time-slice.ts";
import { matchMessages } from "./match-messages.ts";
import { walkMessages } from "./walk-messages.ts";

interface Turns {
  readonly limit: number;
  readonly now: Instant;
  readonly tally: JobTally;
}

/** The turns of messages in one step of a job: it meets further ones, or goes back to those in flight. */
export function jobTurns(context: Context) {
  const { claims, messages, jobMessages, retentionMs } = context;
  const walk = walkMessages(context);
  const isMatch = matchMessages(context);
  const obstacleTo = obstacles(context);

  /** Undefined: the change is not possible. */
  function change(job: Job, stored: StoredMessage, now: Instant): TrackedMessage | undefined {
    const decision = decideByJob(job, stored.message, now, retentionMs);
    if (decision.kind !== "changed") return undefined;
    if (obstacleTo(stored, decision.message) !== undefined) return undefined;
    messages.update(stored, decision.message, { now });
    return decision.message;
  }

  /** The last turn of a message. */
  function handle({ jobKey, job }: StoredJob, stored: StoredMessage, { now, tally }: Turns): void {
    const after = change(job, stored, now);
    const isWatched =
      after !== undefined &&
      job.action === "redrive" &&
      job.progress.watched + tally.watched < mostWatched;
    if (after === undefined) tally.changed++;
    else tally.countDone(stored.targetKey, after);
    if (isWatched) {
      tally.watched++;
      jobMessages.put(jobKey, stored.messageKey, "watched", after.attemptCount);
    } else jobMessages.put(jobKey, stored.messageKey, "handled");
  }

  return {
    /** Answers with the place up to which it has looked; null: there is nothing behind it. */
    meet(kept: StoredJob, turns: Turns): JobCursor | null {
      const { jobKey, job } = kept;
      const { tally, limit } = turns;
      return walk(job, job.progress.cursor, (stored) => {
        if (!isMatch(job, job.creationTime, stored)) return "next";
        if (jobMessages.has(jobKey, stored.messageKey)) return "next";
        tally.met++;
        if (claims.get(stored.messageKey) === undefined) handle(kept, stored, turns);
        else {
          tally.waiting++;
          jobMessages.put(jobKey, stored.messageKey, "waiting");
        }
        return tally.met < limit ? "next" : "enough";
      });
    },

    goBack(kept: StoredJob, turns: Turns, isLast: boolean): void {
      const { jobKey, job } = kept;
      const { tally, limit } = turns;
      const waiting = jobMessages.inStage(jobKey, "waiting", mostLookedAtByStep);
      const isOver = beginSlice(context);
      for (const { messageKey } of waiting) {
        const handled = -tally.waiting;
        if (handled >= limit || (handled > 0 && handled % piece === 0 && isOver())) return;
        const isInFlight = claims.get(messageKey) !== undefined;
        if (isInFlight && !isLast) continue;
        tally.waiting--;
        const stored = messages.ifKept(messageKey);
        if (isInFlight) tally.inFlight++;
        else if (stored !== undefined && isMatch(job, job.creationTime, stored)) {
          handle(kept, stored, turns);
          continue;
        } else tally.changed++;
        jobMessages.put(jobKey, messageKey, "handled");
      }
    },
  };
}
