import { isOutrun } from "../../../domain/message-options.ts";
import type { Message } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { monthOf } from "../../../domain/usage.ts";
import { instantOf } from "../../../domain/wanted-time.ts";
import { formatMessageId } from "../../../platform/message-ids.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Context } from "./context.ts";
import { insertInto } from "../rows/rows.ts";
import type { Row } from "../rows/rows.ts";

/** In the order of the values in `scheduleOne`. */
const keyColumns = [
  ...["account_key", "key", "fingerprint", "message_id", "target_id"],
  ...["scheduling_time", "original_delivery_time", "expiration_time"],
];

export function scheduleMessages(context: Context) {
  const { db, clock, ids, accounts, targets, messages, usage, idempotencyRetentionMs } = context;
  const selectKey = db.prepare(
    "SELECT * FROM idempotency_keys WHERE account_key = ? AND key = ? AND expiration_time > ?",
  );
  const insertKey = db.prepare(insertInto("idempotency_keys", keyColumns, "INSERT OR REPLACE"));

  function scheduleOne(request: ScheduleRequest, now: number, month: string): ScheduleResult {
    const accountKey = accounts.keyOf(request.accountId);
    if (accountKey === undefined) return { kind: "no-target" };
    const { idempotency } = request;
    if (idempotency !== null) {
      const used = selectKey.get(accountKey, idempotency.key, now);
      if (used !== undefined) {
        return used["fingerprint"] === idempotency.fingerprint
          ? { kind: "repeated", message: firstAnswer(used, request) }
          : { kind: "key-reused" };
      }
    }
    const targetKey = targets.keyOf(accountKey, request.targetId);
    if (targetKey === undefined) return { kind: "no-target" };
    const id = ids.next();
    const message = scheduled(
      {
        messageId: formatMessageId(id.bytes),
        targetId: request.targetId,
        deliveryTime: instantOf(request.deliveryTime, now),
        options: request.options,
      },
      now,
    );
    if (isOutrun(message.options, message.originalDeliveryTime, now)) return { kind: "too-late" };
    if (!usage.hasRoom(accountKey, month)) return { kind: "over-quota" };
    messages.insert(id, { accountKey, targetKey }, message, request.payload);
    usage.count(accountKey, month);
    if (idempotency !== null) {
      insertKey.run(
        accountKey,
        idempotency.key,
        idempotency.fingerprint,
        id.bytes,
        request.targetId,
        now,
        message.originalDeliveryTime,
        now + idempotencyRetentionMs,
      );
    }
    return { kind: "scheduled", message, targetKey };
  }

  return (requests: readonly ScheduleRequest[]): ScheduleResult[] => {
    const now = clock.now();
    const month = monthOf(now);
    return requests.map((request) => scheduleOne(request, now, month));
  };
}

/**
 * The answer to the call that first used the key. It depends on nothing that changes later. The options are
 * those of the repeated request, which is the same as the first.
 */
function firstAnswer(row: Row, { options }: ScheduleRequest): Message {
  return scheduled(
    {
      messageId: formatMessageId(row["message_id"] as Uint8Array),
      targetId: row["target_id"] as string,
      deliveryTime: row["original_delivery_time"] as number,
      options,
    },
    row["scheduling_time"] as number,
  );
}
