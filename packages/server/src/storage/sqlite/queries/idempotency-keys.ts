import type { KeyOutcome } from "../../../domain/message-key.ts";
import type { Message } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { formatMessageId, parseMessageId } from "../../../platform/message-ids.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import { insertInto } from "../rows/rows.ts";
import type { Row } from "../rows/rows.ts";
import type { Context } from "./context.ts";

/** In the order of the values in `keep`. */
const columns = [
  ...["account_key", "key", "fingerprint", "message_id", "target_id"],
  ...["scheduling_time", "original_delivery_time", "expiration_time", "answer"],
];

interface FirstAnswer {
  readonly message: Message;
  /** Only for a message with a key. Its answer depends on what had the key. */
  readonly keyOutcome?: KeyOutcome;
}

/** What calls with an idempotency key were first answered. */
export function idempotencyKeys({ db, idempotencyRetentionMs }: Context) {
  const select = db.prepare(
    "SELECT * FROM idempotency_keys WHERE account_key = ? AND key = ? AND expiration_time > ?",
  );
  const insert = db.prepare(insertInto("idempotency_keys", columns, "INSERT OR REPLACE"));
  return {
    /** Undefined: the request is the first with its key, or has none. */
    find(accountKey: number, request: ScheduleRequest, now: number): ScheduleResult | undefined {
      const { idempotency } = request;
      if (idempotency === null) return undefined;
      const used = select.get(accountKey, idempotency.key, now);
      if (used === undefined) return undefined;
      return used["fingerprint"] === idempotency.fingerprint
        ? { kind: "repeated", ...firstAnswer(used, request) }
        : { kind: "key-reused" };
    },
    keep(accountKey: number, request: ScheduleRequest, answer: FirstAnswer, now: number): void {
      const { idempotency } = request;
      if (idempotency === null) return;
      const { message, keyOutcome } = answer;
      insert.run(
        accountKey,
        idempotency.key,
        idempotency.fingerprint,
        parseMessageId(message.messageId)!.bytes,
        request.targetId,
        message.schedulingTime,
        message.originalDeliveryTime,
        now + idempotencyRetentionMs,
        keyOutcome === undefined ? null : JSON.stringify({ message, keyOutcome }),
      );
    },
  };
}

/**
 * The answer to the call that first used the key. It depends on nothing that changes later. The options are
 * those of the repeated request, which is the same as the first.
 */
function firstAnswer(row: Row, { options }: ScheduleRequest): FirstAnswer {
  if (row["answer"] !== null) return JSON.parse(row["answer"] as string) as FirstAnswer;
  const message = scheduled(
    {
      messageId: formatMessageId(row["message_id"] as Uint8Array),
      targetId: row["target_id"] as string,
      deliveryTime: row["original_delivery_time"] as number,
      options,
    },
    row["scheduling_time"] as number,
  );
  return { message };
}
