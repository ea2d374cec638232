import { outcomeOf } from "../../../../src/domain/message-key.ts";
import type { KeyOutcome, WantedKey } from "../../../../src/domain/message-key.ts";
import type { TrackedMessage } from "../../../../src/domain/message.ts";
import { monthOf } from "../../../../src/domain/usage.ts";
import { instantOf } from "../../../../src/domain/wanted-time.ts";
import type { ScheduleRequest, ScheduleResult } from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context } from "../database-state.ts";
import type { Admission } from "../rules.ts";
import type { StoredMessage } from "../message-table.ts";
import { teller } from "./events/tell.ts";
import { insertMessage } from "./insert-message.ts";
import type { Taking } from "./insert-message.ts";

export function scheduleMessages(context: Context) {
  const { state, node } = context;
  const { clock, rules, messages, claims, targets, idempotencyKeys } = state;
  const { retentionMs } = node;
  const insert = insertMessage(context);
  const tell = teller(context);

  function change(holder: StoredMessage, after: TrackedMessage): void {
    const before = holder.message;
    messages.update(holder, after);
    // A wrong rule leaves the holder as it is.
    if (after !== before) tell.changed(holder, before);
  }

  function scheduleOne(request: ScheduleRequest, admission: Admission): ScheduleResult {
    const { accountId, targetId, idempotency } = request;
    const now = clock.now();
    const used = idempotency && idempotencyKeys.find(accountId, idempotency.key, now);
    if (used) {
      return used.fingerprint === idempotency.fingerprint
        ? { kind: "repeated", ...used.answer }
        : { kind: "key-reused" };
    }
    const account = liveAccount(state, accountId);
    const kept = targets.live({ accountId, targetId });
    if (account === undefined || kept === undefined) return { kind: "no-target" };
    const taking = { now, admit: (): boolean => admission.admit(account, monthOf(now)) };
    const { targetKey } = kept.target;
    const result: ScheduleResult =
      request.wantedKey === undefined
        ? insert(request, targetKey, instantOf(request.deliveryTime, now), taking)
        : scheduleKeyed(request, request.wantedKey, targetKey, taking);
    if (idempotency !== null && (result.kind === "scheduled" || result.kind === "kept")) {
      const expirationTime = now + node.idempotencyRetentionMs;
      const { message, keyOutcome } = result;
      const answer = keyOutcome === undefined ? { message } : { message, keyOutcome };
      idempotencyKeys.keep({ accountId, ...idempotency, answer, expirationTime });
    }
    return result;
  }

  function scheduleKeyed(
    request: ScheduleRequest,
    wanted: WantedKey,
    targetKey: number,
    taking: Taking,
  ): ScheduleResult {
    const { now, admit } = taking;
    const deliveryTime = instantOf(request.deliveryTime, now);
    const holder = rules.holderOf(state, targetKey, wanted.key);
    if (holder === undefined) {
      return withOutcome(insert(request, targetKey, deliveryTime, taking), "created");
    }
    const isHeld = claims.get(holder.message.messageId) !== undefined;
    const newcomer = { wanted, deliveryTime, options: request.options! };
    const decision = rules.meetHolder(newcomer, holder.message, { isHeld, now, retentionMs });
    const outcome = outcomeOf(wanted, true);
    switch (decision.kind) {
      case "key-taken":
      case "held":
        return { ...decision, messageId: holder.message.messageId };
      case "kept":
        return { kind: "kept", message: holder.message, keyOutcome: "kept" };
      case "in-place":
        if (!admit()) return { kind: "over-quota" };
        messages.update(holder, decision.holder, rules.newPayload(holder.payload, request.payload));
        tell.replacedInPlace(holder);
        return { kind: "scheduled", message: decision.holder, targetKey, keyOutcome: outcome };
      case "anew":
        if (!admit()) return { kind: "over-quota" };
        change(holder, decision.holder);
        return withOutcome(
          insert(request, targetKey, decision.deliveryTime, { now, admit: () => true }),
          outcome,
        );
      default:
        return decision;
    }
  }

  return (requests: readonly ScheduleRequest[]): ScheduleResult[] | Promise<ScheduleResult[]> => {
    const scheduleAll = (admission: Admission): ScheduleResult[] =>
      requests.map((request) => scheduleOne(request, admission));
    const admission = rules.admission(state);
    return admission instanceof Promise ? admission.then(scheduleAll) : scheduleAll(admission);
  };
}

function withOutcome(result: ScheduleResult, keyOutcome: KeyOutcome): ScheduleResult {
  return result.kind === "scheduled" ? { ...result, keyOutcome } : result;
}
