import { decideByJob } from "../../../../../src/domain/job-steps.ts";
import { mostWatched } from "../../../../../src/domain/job.ts";
import type { JobCursor } from "../../../../../src/domain/job.ts";
import type { TrackedMessage } from "../../../../../src/domain/message.ts";
import type { JobTally } from "../../../../../src/storage/job-tally.ts";
import type { Context } from "../../database-state.ts";
import type { KeptJob } from "../../job-table.ts";
import { teller } from "../events/tell.ts";
import type { StoredMessage } from "../../message-table.ts";
import { isMatch, nextPlaces } from "./walk.ts";

export function jobTurns(context: Context) {
  const { state, node } = context;
  const tell = teller(context);
  const { clock, rules, messages, claims, targets } = state;

  const isInFlight = (messageId: string): boolean => rules.mustWait(claims, claims.get(messageId));

  /** Undefined: the change is not possible. */
  function change({ job }: KeptJob, stored: StoredMessage): TrackedMessage | undefined {
    const { message, targetKey } = stored;
    const decision = decideByJob(job, message, clock.now(), node.retentionMs);
    if (decision.kind !== "changed") return undefined;
    if (decision.message.state === "SCHEDULED") {
      if (targets.liveByKey(targetKey) === undefined) return undefined;
      const key = message.state === "SCHEDULED" ? undefined : message.options?.key;
      if (key !== undefined && messages.holderOf(targetKey, key) !== undefined) return undefined;
    }
    messages.update(stored, decision.message);
    tell.changed(stored, message);
    return decision.message;
  }

  /** The last turn of a message. */
  function handle(kept: KeptJob, stored: StoredMessage, tally: JobTally): void {
    const { job, met } = kept;
    const { messageId, attemptCount } = stored.message;
    const after = change(kept, stored);
    if (after === undefined) tally.changed++;
    else tally.countDone(stored.targetKey, after);
    const isWatched =
      after !== undefined &&
      job.action === "redrive" &&
      job.progress.watched + tally.watched < mostWatched;
    if (isWatched) tally.watched++;
    met.set(messageId, { stage: isWatched ? "watched" : "handled", attemptCount });
  }

  return {
    meet(kept: KeptJob, limit: number, tally: JobTally): JobCursor | null {
      const { job, met } = kept;
      const { places, isEnd } = nextPlaces(state, job, job.progress.cursor);
      for (const { stored, cursor } of places) {
        const { messageId, attemptCount } = stored.message;
        if (!isMatch(state, job, job.creationTime, stored)) continue;
        if (!rules.isNewTo(kept, messageId)) continue;
        tally.met++;
        if (isInFlight(messageId)) {
          tally.waiting++;
          met.set(messageId, { stage: "waiting", attemptCount });
        } else handle(kept, stored, tally);
        if (tally.met >= limit) return cursor;
      }
      return isEnd ? null : places.at(-1)!.cursor;
    },

    goBack(kept: KeptJob, limit: number, isLast: boolean, tally: JobTally): void {
      const { job, met } = kept;
      for (const [messageId, { stage, attemptCount }] of [...met]) {
        if (stage !== "waiting" || (isInFlight(messageId) && !isLast)) continue;
        if (-tally.waiting >= limit) return;
        tally.waiting--;
        const stored = messages.get(messageId);
        if (isInFlight(messageId)) tally.inFlight++;
        else if (stored !== undefined && isMatch(state, job, job.creationTime, stored)) {
          handle(kept, stored, tally);
          continue;
        } else tally.changed++;
        met.set(messageId, { stage: "handled", attemptCount });
      }
    },

    lookForOutcomes({ met }: KeptJob, tally: JobTally): void {
      const ended: TrackedMessage[] = [];
      for (const [messageId, { stage, attemptCount }] of [...met]) {
        if (stage !== "watched") continue;
        const message = messages.get(messageId)?.message;
        const isAttempted = message !== undefined && message.attemptCount > attemptCount;
        if (message?.state === "SCHEDULED" && !isAttempted) continue;
        if (isAttempted) ended.push(message);
        tally.watched--;
        met.set(messageId, { stage: "handled", attemptCount });
      }
      tally.delivered = ended
        .toSorted((one, other) => one.lastDeliveryTime! - other.lastDeliveryTime!)
        .map(({ state: ending }) => ending === "DELIVERED");
      tally.lookedForOutcomes = true;
    },
  };
}
