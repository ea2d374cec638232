import type { TrackedMessage } from "../../../domain/message.ts";
import { cancelled, rescheduled } from "../../../domain/transitions.ts";
import type { CancelRequest, ChangeResult, RescheduleRequest } from "../../store.ts";
import type { Context } from "../context.ts";
import { Deferred } from "../thread/deferred.ts";
import type { HeldClaim, Waiter } from "../claim-book.ts";
import type { Row } from "../message-table.ts";

type Change = (message: TrackedMessage) => TrackedMessage | undefined;

export function cancelMessage(context: Context) {
  const change = changeMessage(context);
  const { clock, retentionMs } = context;
  return (request: CancelRequest) =>
    change(request, (message) => cancelled(message, clock.now(), retentionMs));
}

export function rescheduleMessage(context: Context) {
  const change = changeMessage(context);
  const { clock } = context;
  return (request: RescheduleRequest) =>
    change(request, (message) => rescheduled(message, request.deliveryTime, clock.now()));
}

/** Makes the change now or, while an attempt is in flight, together with its outcome. */
function changeMessage(context: Context) {
  const { db, messages, claims } = context;
  const selectTarget = db.prepare("SELECT removal_time FROM targets WHERE target_key = ?");

  return (request: CancelRequest, change: Change): ChangeResult | Deferred<ChangeResult> => {
    const stored = messages.find(request);
    if (stored === undefined) return { kind: "not-found" };
    const claim = claims.get(stored.messageKey);
    if (claim !== undefined) return waitForOutcome(context, claim, request.waitMs, change);

    const changed = change(stored.message);
    if (changed === undefined) return { kind: "refused", message: stored.message };
    const target = selectTarget.get(stored.targetKey) as Row;
    if (changed.state === "SCHEDULED" && target["removal_time"] !== null) {
      return { kind: "no-target" };
    }
    messages.update(stored, changed);
    return { kind: "changed", message: changed, targetKey: stored.targetKey };
  };
}

function waitForOutcome(
  { claims, timers, transaction }: Context,
  claim: HeldClaim,
  waitMs: number,
  change: Change,
): ChangeResult | Deferred<ChangeResult> {
  if (waitMs <= 0) return { kind: "in-flight" };
  const answer = new Deferred<ChangeResult>();
  const waiter: Waiter = {
    change,
    settle(result) {
      bound.cancel();
      answer.settle(result);
    },
  };
  const bound = timers.after(waitMs, () => {
    claim.waiters.delete(waiter);
    answer.settle({ kind: "in-flight" });
  });
  claims.wait(claim, waiter);
  transaction.onRollback(() => bound.cancel());
  return answer;
}
