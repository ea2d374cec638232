import type { Instant, TrackedMessage } from "../../../../src/domain/message.ts";
import type { RequestedChange } from "../../../../src/domain/transitions.ts";
import { instantOf } from "../../../../src/domain/wanted-time.ts";
import type { WantedTime } from "../../../../src/domain/wanted-time.ts";
import { changeResult } from "../../../../src/storage/change-result.ts";
import type { ChangeResult, MessageRef } from "../../../../src/storage/store.ts";
import type { ChangeAnswer } from "../claim-table.ts";
import type { Context } from "../database-state.ts";
import { teller } from "./events/tell.ts";

interface WantedChange extends MessageRef, Omit<RequestedChange, "deliveryTime"> {
  /** Null for a cancel. */
  readonly deliveryTime: WantedTime | null;
}

interface HeldByAttempt {
  readonly kind: "held";
  /** From here on a delay counts. */
  readonly seenAt: Instant;
}

/**
 * A cancel or reschedule, step by step. Any step may succeed and the next one fail, or never come because
 * the caller has died. The database itself never waits.
 */
export function changeMessage(context: Context) {
  const { clock, rules, messages, claims, targets, schedules, scheduleJournal } = context.state;
  const { retentionMs } = context.node;
  const tell = teller(context);

  function noteMove(accountId: string, before: TrackedMessage, after: TrackedMessage): void {
    const { messageId, options, attemptCount, nextDeliveryTime: to } = after;
    if (options?.schedule === undefined || to === null) return;
    const kept = schedules.find({ accountId, ...options.schedule });
    const about = { scheduleKey: kept?.scheduleKey ?? 0, at: clock.now(), messageId };
    const isKept = kept?.runs.get(options.schedule.runTime)?.messageId === messageId;
    if (before.state !== "SCHEDULED") scheduleJournal.push({ kind: "revived", ...about });
    else if (isKept && attemptCount === 0) scheduleJournal.push({ kind: "moved", ...about, to });
  }

  return {
    /** "held": an attempt is in flight, and nothing has changed. */
    changeNow(change: WantedChange): ChangeResult | HeldByAttempt {
      const now = clock.now();
      const stored = messages.find(change, now);
      if (stored === undefined) return { kind: "not-found" };
      const { message, targetKey } = stored;
      if (rules.mustWait(claims, claims.get(message.messageId)))
        return { kind: "held", seenAt: now };
      const deliveryTime = instantOf(change.deliveryTime, now);
      const decision = rules.decideChange(message, { ...change, deliveryTime }, now, retentionMs);
      if (decision.kind === "changed") {
        const isScheduled = decision.message.state === "SCHEDULED";
        if (isScheduled && targets.liveByKey(targetKey) === undefined) return { kind: "no-target" };
        const key = message.state !== "SCHEDULED" && isScheduled && message.options?.key;
        const holder = key ? messages.holderOf(targetKey, key) : undefined;
        if (holder !== undefined) {
          return { kind: "key-taken", messageId: holder.message.messageId };
        }
        messages.update(stored, decision.message);
        tell.changed(stored, message);
        noteMove(change.accountId, message, decision.message);
      }
      return changeResult(decision, targetKey);
    },
    /** From here on the change takes effect with the outcome, even if its caller has died by then. */
    beginToWait({ messageId, ...asked }: MessageRef & RequestedChange): number | undefined {
      const claim = claims.get(messageId);
      return claim && claims.beginToWait(claim, asked, clock.now());
    },
    awaitAnswer: (changeId: number): Promise<ChangeAnswer> | ChangeAnswer =>
      claims.findChange(changeId)?.answer ?? "again",
    /** The answer, if it came first. Undefined if the change will not happen. */
    takeBack(changeId: number): ChangeAnswer | undefined {
      const change = claims.findChange(changeId);
      if (change !== undefined) claims.forgetChange(change);
      return change?.answered;
    },
  };
}
