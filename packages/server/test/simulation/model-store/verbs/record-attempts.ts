import type { NextStep } from "../../../../src/domain/retry-policy.ts";
import { attempted } from "../../../../src/domain/transitions.ts";
import type { AttemptResult, Holder, RecordResult } from "../../../../src/storage/store.ts";
import type { Context } from "../place-state.ts";
import { applyWaiting } from "./change-message.ts";

/** A failure while a cancel or reschedule waits: it counts, and the waiting call says what comes next. */
const undecided: NextStep = { kind: "retry", delayMs: 0 };

export function recordAttempts(context: Context) {
  const { clock, rules, messages, claims, tests } = context.state;

  function recordOne(holder: Holder, result: AttemptResult): RecordResult {
    const stored = messages.get(result.messageId);
    const claim = claims.get(result.messageId);
    if (stored === undefined || !rules.isForClaim(claim, stored, holder, result)) {
      return { kind: "stale" };
    }
    const { startTime } = result.attempt;
    const overruled =
      result.next.kind !== "delivered" && claim !== undefined && claim.waiting.size > 0;
    const end = { startTime, next: overruled ? undecided : result.next };
    const after = attempted(stored.message, end, clock.now(), context.node.retentionMs);
    if (after === undefined) return { kind: "stale" };
    const message = applyWaiting(context, claim, after);
    stored.attempts.push(result.attempt);
    messages.update(stored, message);
    if (claim !== undefined) claims.end(claim);
    return { kind: "recorded", message };
  }

  return {
    recordAttempts: (holder: Holder, results: readonly AttemptResult[]): RecordResult[] =>
      results.map((result) => recordOne(holder, result)),

    /** The round stands for PostgreSQL's locks: what is given back late is not claimed in between. */
    releaseClaims(holder: Holder, messageIds: readonly string[], round: number): void {
      for (const messageId of messageIds) {
        const claim = claims.get(messageId);
        const stored = messages.get(messageId);
        if (claim?.epoch !== holder.epoch || claim.round > round || stored === undefined) continue;
        const message = applyWaiting(context, claim, stored.message);
        if (message !== stored.message) messages.update(stored, message);
        claims.end(claim);
      }
    },

    /** Claims of this life that its node does not know of: they were made, but their answer never came. */
    voidLostClaims(holder: Holder, known: readonly string[], lastRound: number): void {
      const kept = new Set(known);
      for (const claim of claims.ofEpoch(holder.epoch)) {
        if (rules.isLookedAt(claim, lastRound) && !kept.has(claim.messageId)) claims.end(claim);
      }
      for (const { testKey, round } of tests.ofEpoch(holder.epoch)) {
        if (round <= lastRound && !kept.has(testKey)) tests.end(testKey);
      }
    },
  };
}
