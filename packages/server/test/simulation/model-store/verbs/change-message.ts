import type { Instant, TrackedMessage } from "../../../../src/domain/message.ts";
import { cancelled } from "../../../../src/domain/transitions.ts";
import type { ChangeResult, MessageRef } from "../../../../src/storage/store.ts";
import type { ChangeAnswer, HeldClaim } from "../claim-table.ts";
import type { Context } from "../place-state.ts";

/** Null for a cancel. */
export interface MessageChange extends MessageRef {
  readonly deliveryTime: Instant | null;
}

/**
 * A cancel or reschedule in the steps that it takes: each of them may succeed and the next one fail, or
 * never come because the caller has died. The place itself waits for nobody.
 */
export function changeMessage(context: Context) {
  const { clock, rules, messages, claims, targets } = context.state;
  return {
    /** "held": an attempt is in flight, nothing was done. */
    changeNow(change: MessageChange): ChangeResult | { readonly kind: "held" } {
      const stored = messages.find(change, clock.now());
      if (stored === undefined) return { kind: "not-found" };
      const { message, targetKey } = stored;
      if (rules.mustWait(claims, claims.get(message.messageId))) return { kind: "held" };
      const changed = applyChange(context, message, change.deliveryTime);
      if (changed === undefined) return { kind: "refused", message };
      if (changed.state === "SCHEDULED" && targets.liveByKey(targetKey) === undefined) {
        return { kind: "no-target" };
      }
      messages.update(stored, changed);
      return { kind: "changed", message: changed, targetKey };
    },
    /** From here on the change happens with the outcome, whether or not its caller lives to see it. */
    beginToWait({ messageId, deliveryTime }: MessageChange): number | undefined {
      const claim = claims.get(messageId);
      return claim && claims.beginToWait(claim, deliveryTime, clock.now());
    },
    awaitAnswer: (changeId: number): Promise<ChangeAnswer> | ChangeAnswer =>
      claims.findChange(changeId)?.answer ?? "again",
    /** The answer, where it was there first; undefined: the change will not happen. */
    takeBack(changeId: number): ChangeAnswer | undefined {
      const change = claims.findChange(changeId);
      if (change !== undefined) claims.forgetChange(change);
      return change?.answered;
    },
  };
}

function applyChange(
  { state: { clock, rules }, node }: Context,
  message: TrackedMessage,
  deliveryTime: Instant | null,
): TrackedMessage | undefined {
  return deliveryTime === null
    ? cancelled(message, clock.now(), node.retentionMs)
    : rules.rescheduled(message, deliveryTime, clock.now());
}

/** The calls that waited for the outcome have their say, in the order in which they came. */
export function applyWaiting(
  context: Context,
  claim: HeldClaim | undefined,
  message: TrackedMessage,
): TrackedMessage {
  if (claim === undefined) return message;
  const { claims } = context.state;
  let current = message;
  for (const change of claim.waiting) {
    const changed = applyChange(context, current, change.deliveryTime);
    current = changed ?? current;
    const { targetKey } = claim;
    claims.answer(
      change,
      changed === undefined
        ? { kind: "refused", message: current }
        : { kind: "changed", message: changed, targetKey },
    );
  }
  return current;
}
