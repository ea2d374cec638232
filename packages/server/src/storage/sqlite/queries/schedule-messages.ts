import { meetHolder, outcomeOf } from "../../../domain/message-key.ts";
import type { WantedKey } from "../../../domain/message-key.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Context } from "./context.ts";
import { idempotencyKeys } from "./idempotency-keys.ts";
import { insertMessage, momentOf } from "./insert-message.ts";
import type { Moment, Owner } from "./insert-message.ts";

export function scheduleMessages(context: Context) {
  const { accounts, targets, messages, claims, usage, retentionMs } = context;
  const keys = idempotencyKeys(context);
  const insert = insertMessage(context);

  function scheduleOne(request: ScheduleRequest, moment: Moment): ScheduleResult {
    const accountKey = accounts.keyOf(request.accountId);
    if (accountKey === undefined) return { kind: "no-target" };
    const repeated = keys.find(accountKey, request, moment.now);
    if (repeated !== undefined) return repeated;
    const targetKey = targets.keyOf(accountKey, request.targetId);
    if (targetKey === undefined) return { kind: "no-target" };
    const owner = { accountKey, targetKey };
    const result =
      request.wantedKey === undefined
        ? insert(request, owner, instantOf(request.deliveryTime, moment.now), moment)!
        : scheduleKeyed(request, request.wantedKey, owner, moment);
    if (result.kind === "scheduled" || result.kind === "kept") {
      keys.keep(accountKey, request, result, moment.now);
    }
    return result;
  }

  function scheduleKeyed(
    request: ScheduleRequest,
    wanted: WantedKey,
    owner: Owner,
    moment: Moment,
  ): ScheduleResult {
    const { now, month } = moment;
    const deliveryTime = instantOf(request.deliveryTime, now);
    // Most keys are free: taking one is cheaper than looking for its holder first.
    const fresh = insert(request, owner, deliveryTime, moment);
    if (fresh?.kind === "scheduled") return { ...fresh, keyOutcome: "created" };
    const holder = messages.holderOf(owner.targetKey, wanted.key);
    if (holder === undefined) return fresh!;
    const isHeld = claims.get(holder.messageKey) !== undefined;
    const newcomer = { wanted, deliveryTime, options: request.options! };
    const decision = meetHolder(newcomer, holder.message, { isHeld, now, retentionMs });
    const outcome = outcomeOf(wanted, true);
    switch (decision.kind) {
      case "key-taken":
      case "held":
        return { ...decision, messageId: holder.message.messageId };
      case "kept":
        return { kind: "kept", message: holder.message, keyOutcome: "kept" };
      case "in-place":
        if (!usage.hasRoom(owner.accountKey, month)) return { kind: "over-quota" };
        messages.replaceContent(owner, holder, decision.holder, request.payload, { now });
        usage.count(owner.accountKey, month);
        return scheduledAs(decision.holder, owner, outcome);
      case "anew":
        if (!usage.hasRoom(owner.accountKey, month)) return { kind: "over-quota" };
        // First, so that the key is free.
        messages.update(holder, decision.holder, { now });
        return withOutcome(insert(request, owner, decision.deliveryTime, moment)!, outcome);
      default:
        return decision;
    }
  }

  return (requests: readonly ScheduleRequest[]): ScheduleResult[] => {
    const moment = momentOf(context);
    return requests.map((request) => scheduleOne(request, moment));
  };
}

function scheduledAs(
  message: TrackedMessage,
  { targetKey }: Owner,
  keyOutcome: ReturnType<typeof outcomeOf>,
): ScheduleResult {
  return { kind: "scheduled", message, targetKey, keyOutcome };
}

function withOutcome(
  result: ScheduleResult,
  keyOutcome: ReturnType<typeof outcomeOf>,
): ScheduleResult {
  return result.kind === "scheduled" ? { ...result, keyOutcome } : result;
}
