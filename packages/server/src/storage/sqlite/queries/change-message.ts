import type { TrackedMessage } from "../../../domain/message.ts";
import { decideChange } from "../../../domain/transitions.ts";
import type { RequestedChange } from "../../../domain/transitions.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import type { WantedTime } from "../../../domain/wanted-time.ts";
import { changeResult, conditionsOf } from "../../change-result.ts";
import type { ChangeConditions } from "../../change-result.ts";
import type { CancelRequest, ChangeResult, RescheduleRequest } from "../../store.ts";
import type { HeldClaim, WaitingChange } from "../claims/claim-book.ts";
import type { StoredMessage } from "../rows/message-columns.ts";
import type { Context } from "./context.ts";
import { Deferred } from "./deferred.ts";
import type { Row } from "../rows/rows.ts";

export function cancelMessage(context: Context) {
  const change = changeMessage(context);
  return (request: CancelRequest) => change(request, null);
}

export function rescheduleMessage(context: Context) {
  const change = changeMessage(context);
  return (request: RescheduleRequest) =>
    change(request, request.deliveryTime, conditionsOf(request));
}

/** Makes the change now or, while an attempt is in flight, together with its outcome. */
function changeMessage(context: Context) {
  const { clock, messages, claims, retentionMs } = context;
  const obstacleTo = obstacles(context);

  return (
    request: CancelRequest,
    wanted: WantedTime | null,
    conditions: ChangeConditions = {},
  ): ChangeResult | Deferred<ChangeResult> => {
    const stored = messages.find(request);
    if (stored === undefined) return { kind: "not-found" };
    const now = clock.now();
    const deliveryTime = instantOf(wanted, now);
    const asked: RequestedChange = { deliveryTime, ...conditions };
    const { messageKey, targetKey, message } = stored;
    const claim = claims.get(messageKey);
    if (claim !== undefined) return waitForOutcome(context, claim, request.waitMs, asked);

    const decision = decideChange(message, asked, now, retentionMs);
    if (decision.kind === "changed") {
      const obstacle = obstacleTo(stored, decision.message);
      if (obstacle !== undefined) return obstacle;
      messages.update(stored, decision.message, { now });
    }
    return changeResult(decision, targetKey);
  };
}

/** What prevents a change that the message itself allows. */
export function obstacles(context: Context) {
  const selectTarget = context.db.prepare("SELECT removal_time FROM targets WHERE target_key = ?");
  return (stored: StoredMessage, after: TrackedMessage): ChangeResult | undefined => {
    if (after.state !== "SCHEDULED") return undefined;
    const target = selectTarget.get(stored.targetKey) as Row;
    if (target["removal_time"] !== null) return { kind: "no-target" };
    return keyTakenMeanwhile(context, stored, after);
  };
}

/** A message that has ended has given its key back. Another may have it when it is scheduled again. */
function keyTakenMeanwhile(
  { messages }: Context,
  { targetKey, message: before }: StoredMessage,
  { state, options }: TrackedMessage,
): ChangeResult | undefined {
  if (before.state === "SCHEDULED" || state !== "SCHEDULED" || options?.key === undefined) {
    return undefined;
  }
  const holder = messages.holderOf(targetKey, options.key);
  return holder && { kind: "key-taken", messageId: holder.message.messageId };
}

function waitForOutcome(
  { claims, timers, transaction }: Context,
  claim: HeldClaim,
  waitMs: number,
  asked: RequestedChange,
): ChangeResult | Deferred<ChangeResult> {
  if (waitMs <= 0) return { kind: "in-flight" };
  const answer = new Deferred<ChangeResult>();
  const change: WaitingChange = {
    ...asked,
    settle(result) {
      bound.cancel();
      answer.settle(result);
    },
  };
  const bound = timers.after(waitMs, () => {
    claim.waitingChanges.delete(change);
    answer.settle({ kind: "in-flight" });
  });
  claims.wait(claim, change);
  transaction.onRollback(() => bound.cancel());
  return answer;
}
