import type { Message } from "../../../domain/message.ts";
import { parseMessageId } from "../../../platform/message-ids.ts";
import type { ListRequest } from "../../store.ts";
import type { Context } from "./context.ts";
import { messageColumns, readStoredMessage } from "../rows/message-columns.ts";
import type { Values } from "../rows/rows.ts";

export function listScheduledMessages(context: Context) {
  return listBy(context, "next_delivery_time");
}

export function listDeadLetters(context: Context) {
  return listBy(context, "dead_letter_time");
}

function listBy(
  { db, clock, accounts }: Context,
  column: "next_delivery_time" | "dead_letter_time",
) {
  // Includes removed targets: their messages stay on record until they expire.
  const selectTarget = db.prepare(
    "SELECT target_key FROM targets WHERE account_key = ? AND target_id = ?",
  );
  const select = db.prepare(
    `SELECT ${messageColumns} FROM messages m JOIN targets USING (target_key)
     WHERE m.target_key = ? AND (${column}, message_key) > (?, ?) AND ${column} <= ?
       AND (expiration_time IS NULL OR expiration_time > ?)
     ORDER BY ${column}, message_key LIMIT ?`,
  );
  select.setReturnArrays(true);
  return (request: ListRequest): Message[] => {
    const accountKey = accounts.keyOf(request.accountId);
    if (accountKey === undefined) return [];
    const target = selectTarget.get(accountKey, request.targetId);
    if (target === undefined) return [];
    const { after } = request;
    const beforeEveryKey = -1;
    const rows = select.all(
      target["target_key"] as number,
      after?.time ?? request.minTime ?? Number.MIN_SAFE_INTEGER,
      after === null
        ? beforeEveryKey
        : (parseMessageId(after.messageId)?.sequence ?? beforeEveryKey),
      request.maxTime ?? Number.MAX_SAFE_INTEGER,
      clock.now(),
      request.limit,
    ) as unknown as Values[];
    return rows.map((row) => readStoredMessage(row).message);
  };
}
