import { mostAttemptsKept } from "../../../domain/attempt.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import type { Message } from "../../../domain/message.ts";
import type { KeyRef, MessageRef } from "../../store.ts";
import { readAttempt } from "../rows/attempt-rows.ts";
import type { Context } from "./context.ts";
import { messageColumns, readMessage, rowKeyOf } from "../rows/message-rows.ts";

/** The message belongs to the account and has not expired. */
const visible = `m.message_id = $1 AND m.account_id = $2
  AND (m.expiration_time IS NULL OR m.expiration_time > now_ms())`;

const getStatement = `SELECT ${messageColumns()} FROM messages m JOIN targets t USING (target_key)
  WHERE ${visible}`;

export function getMessage({ connections }: Context) {
  return async (ref: MessageRef): Promise<Message | undefined> => {
    const key = rowKeyOf(ref.messageId);
    if (key === undefined) return undefined;
    const [row] = await connections.query(
      {
        name: "get-message",
        text: getStatement,
        values: [key, ref.accountId],
      },
      ref.accountId,
    );
    return row && readMessage(row);
  };
}

export function findByKey({ connections }: Context) {
  return async ({ accountId, targetId, key }: KeyRef): Promise<Message | undefined> => {
    const [row] = await connections.query(
      {
        name: "find-by-key",
        text: `SELECT ${messageColumns()} FROM targets t
          JOIN message_keys k ON k.target_key = t.target_key
          JOIN messages m ON m.message_id = k.message_id
          WHERE t.account_id = $1 AND t.target_id = $2 AND t.removal_time IS NULL AND k.key = $3`,
        values: [accountId, targetId, key],
      },
      accountId,
    );
    return row && readMessage(row);
  };
}

export function getPayload({ connections }: Context) {
  return async (ref: MessageRef): Promise<string | undefined> => {
    const key = rowKeyOf(ref.messageId);
    if (key === undefined) return undefined;
    const [row] = await connections.query(
      {
        name: "get-payload",
        text: `SELECT payload FROM messages m WHERE ${visible}`,
        values: [key, ref.accountId],
      },
      ref.accountId,
    );
    return (row?.["payload"] as Buffer | undefined)?.toString("utf8");
  };
}

/** A message without attempts gives one row, with nulls. */
const latestAttempts = `SELECT latest.* FROM messages m
  LEFT JOIN LATERAL (
    SELECT * FROM attempts a WHERE a.message_id = m.message_id ORDER BY a.number DESC LIMIT $3
  ) latest ON true
  WHERE ${visible} ORDER BY latest.number`;

export function listAttempts({ connections }: Context) {
  return async (ref: MessageRef): Promise<readonly Attempt[] | undefined> => {
    const key = rowKeyOf(ref.messageId);
    if (key === undefined) return undefined;
    const rows = await connections.query(
      {
        name: "list-attempts",
        text: latestAttempts,
        values: [key, ref.accountId, mostAttemptsKept],
      },
      ref.accountId,
    );
    if (rows.length === 0) return undefined;
    return rows.filter((row) => row["number"] !== null).map(readAttempt);
  };
}
