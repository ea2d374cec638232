import { isOutrun } from "../../../../src/domain/message-options.ts";
import { scheduled } from "../../../../src/domain/transitions.ts";
import { monthOf } from "../../../../src/domain/usage.ts";
import { instantOf } from "../../../../src/domain/wanted-time.ts";
import { formatMessageId } from "../../../../src/platform/message-ids.ts";
import type { ScheduleRequest, ScheduleResult } from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context } from "../database-state.ts";
import type { Admission } from "../rules.ts";

export function scheduleMessages({ state, node }: Context) {
  const { clock, ids, rules, messages, targets, idempotencyKeys } = state;

  function scheduleOne(request: ScheduleRequest, admission: Admission): ScheduleResult {
    const { accountId, targetId, payload, options, idempotency } = request;
    const now = clock.now();
    const used = idempotency && idempotencyKeys.find(accountId, idempotency.key, now);
    if (used) {
      return used.fingerprint === idempotency.fingerprint
        ? { kind: "repeated", message: used.message }
        : { kind: "key-reused" };
    }
    const account = liveAccount(state, accountId);
    const kept = targets.live({ accountId, targetId });
    if (account === undefined || kept === undefined) return { kind: "no-target" };
    const { targetKey } = kept.target;
    const messageId = formatMessageId(ids.next().bytes);
    const deliveryTime = instantOf(request.deliveryTime, now);
    const message = scheduled({ messageId, targetId, deliveryTime, options }, now);
    if (isOutrun(message.options, deliveryTime, now)) return { kind: "too-late" };
    if (!admission.admit(account, monthOf(now))) return { kind: "over-quota" };
    const acceptedBy = node.nodeId;
    messages.insert({ accountId, targetKey, acceptedBy, payload, attempts: [], message });
    if (idempotency !== null) {
      const expirationTime = now + node.idempotencyRetentionMs;
      idempotencyKeys.keep({ accountId, ...idempotency, message, expirationTime });
    }
    return { kind: "scheduled", message, targetKey };
  }

  return (requests: readonly ScheduleRequest[]): ScheduleResult[] | Promise<ScheduleResult[]> => {
    const scheduleAll = (admission: Admission): ScheduleResult[] =>
      requests.map((request) => scheduleOne(request, admission));
    const admission = rules.admission(state);
    return admission instanceof Promise ? admission.then(scheduleAll) : scheduleAll(admission);
  };
}
