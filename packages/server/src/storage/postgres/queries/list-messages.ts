import type { Message } from "../../../domain/message.ts";
import type { ListRequest } from "../../store.ts";
import type { Context } from "./context.ts";
import { beforeEveryKey, messageColumns, readMessage, rowKeyOf } from "../rows/message-rows.ts";

export function listScheduledMessages(context: Context) {
  return listBy(context, "next_delivery_time");
}

export function listDeadLetters(context: Context) {
  return listBy(context, "dead_letter_time");
}

function listBy({ connections }: Context, column: "next_delivery_time" | "dead_letter_time") {
  // Includes removed targets: their messages stay on record until they expire.
  const text = `
    SELECT ${messageColumns("$2")} FROM messages m
    WHERE m.target_key = (SELECT target_key FROM targets WHERE account_id = $1 AND target_id = $2)
      AND (m.${column}, m.message_id) > ($3::bigint, $4::uuid) AND m.${column} <= $5
      AND (m.expiration_time IS NULL OR m.expiration_time > (SELECT now_ms()))
    ORDER BY m.${column}, m.message_id LIMIT $6`;
  return async (request: ListRequest): Promise<Message[]> => {
    const { after } = request;
    const rows = await connections.query(
      {
        name: `list-by-${column}`,
        text,
        values: [
          request.accountId,
          request.targetId,
          after?.time ?? request.minTime ?? Number.MIN_SAFE_INTEGER,
          after === null ? beforeEveryKey : (rowKeyOf(after.messageId) ?? beforeEveryKey),
          request.maxTime ?? Number.MAX_SAFE_INTEGER,
          request.limit,
        ],
      },
      request.accountId,
    );
    return rows.map(readMessage);
  };
}
