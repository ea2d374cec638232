import { forgottenUpTo } from "../../../../src/domain/attempt.ts";
import { applyWaitingChanges, settleAttempt } from "../../../../src/domain/transitions.ts";
import type { SettledClaim } from "../../../../src/domain/transitions.ts";
import { changeResult } from "../../../../src/storage/change-result.ts";
import type { AttemptResult, Holder, RecordResult } from "../../../../src/storage/store.ts";
import type { HeldClaim, WaitingChange } from "../claim-table.ts";
import type { StoredMessage } from "../message-table.ts";
import type { Context } from "../database-state.ts";
import { teller } from "./events/tell.ts";

export function recordAttempts(context: Context) {
  const { clock, rules, messages, claims, tests } = context.state;
  const { retentionMs } = context.node;
  const tell = teller(context);

  function endClaim(claim: HeldClaim, { answers }: SettledClaim<WaitingChange>): void {
    for (const { change, decision } of answers) {
      claims.answer(change, changeResult(decision, claim.targetKey));
    }
    claims.end(claim);
  }

  function recordOne(holder: Holder, result: AttemptResult): RecordResult {
    const stored = messages.get(result.messageId);
    const claim = claims.get(result.messageId);
    if (stored === undefined || !rules.isForClaim(claim, stored, holder, result)) {
      return { kind: "stale" };
    }
    const settled = settleAttempt(
      stored.message,
      { startTime: result.attempt.startTime, next: result.next },
      [...(claim?.waitingChanges ?? [])],
      clock.now(),
      retentionMs,
      rules.decideChange,
    );
    if (settled === undefined) return { kind: "stale" };
    stored.attempts.push(result.attempt);
    const forgotten = forgottenUpTo(result.attempt.number);
    if (forgotten !== undefined) forgetAttempts(stored, forgotten);
    const before = stored.message;
    messages.update(stored, settled.message);
    tell.changed(stored, before, result.attempt, settled.answers);
    tell.attempted(stored, result.attempt);
    if (claim !== undefined) endClaim(claim, settled);
    return { kind: "recorded", message: settled.message };
  }

  return {
    recordAttempts: (holder: Holder, results: readonly AttemptResult[]): RecordResult[] =>
      results.map((result) => recordOne(holder, result)),

    /** The generation stands for PostgreSQL's locks. It keeps a late release from ending a newer claim. */
    releaseClaims(holder: Holder, messageIds: readonly string[], generation: number): void {
      for (const messageId of messageIds) {
        const claim = claims.get(messageId);
        const stored = messages.get(messageId);
        if (claim?.epoch !== holder.epoch || claim.generation > generation || stored === undefined)
          continue;
        const settled = applyWaitingChanges(
          stored.message,
          [...claim.waitingChanges],
          clock.now(),
          retentionMs,
          rules.decideChange,
        );
        const before = stored.message;
        if (settled.message !== before) {
          messages.update(stored, settled.message);
          tell.changed(stored, before, null, settled.answers);
        }
        endClaim(claim, settled);
      }
    },

    /**
     * Voids claims of this membership that its node does not know: the claim was made, but its answer was
     * lost.
     */
    voidLostClaims(holder: Holder, known: readonly string[], lastGeneration: number): void {
      const kept = new Set(known);
      for (const claim of claims.ofEpoch(holder.epoch)) {
        if (rules.isLookedAt(claim, lastGeneration) && !kept.has(claim.messageId))
          claims.end(claim);
      }
      for (const { testKey, generation } of tests.ofEpoch(holder.epoch)) {
        if (generation <= lastGeneration && !kept.has(testKey)) tests.end(testKey);
      }
    },
  };
}

function forgetAttempts({ attempts }: StoredMessage, upTo: number): void {
  attempts.splice(
    0,
    attempts.findIndex(({ number }) => number > upTo),
  );
}
