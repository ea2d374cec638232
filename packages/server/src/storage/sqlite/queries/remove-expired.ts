import { oldestKeptMonth } from "../../../domain/usage.ts";
import type { Context } from "../context.ts";
import type { Row } from "../message-table.ts";

/** Terminal messages with their attempts, idempotency keys and months of usage whose time has passed. */
export function removeExpired({ db, clock }: Context) {
  const selectMessages = db.prepare(
    `SELECT message_key FROM messages WHERE expiration_time <= ?
     ORDER BY expiration_time LIMIT ?`,
  );
  const deleteAttempts = db.prepare("DELETE FROM attempts WHERE message_key = ?");
  const deleteMessage = db.prepare("DELETE FROM messages WHERE message_key = ?");
  const selectKeys = db.prepare(
    `SELECT account_key, key FROM idempotency_keys WHERE expiration_time <= ?
     ORDER BY expiration_time LIMIT ?`,
  );
  const deleteKey = db.prepare("DELETE FROM idempotency_keys WHERE account_key = ? AND key = ?");
  const deleteUsage = db.prepare(
    `DELETE FROM monthly_usage WHERE (month, account_key) IN
       (SELECT month, account_key FROM monthly_usage WHERE month < ? LIMIT ?)`,
  );
  const selectNext = db.prepare(
    `SELECT min(expiry) AS expiry FROM (
       SELECT min(expiration_time) AS expiry FROM messages WHERE expiration_time IS NOT NULL
       UNION ALL SELECT min(expiration_time) FROM idempotency_keys)`,
  );

  return (limit: number): { removed: number; nextExpiry: number | null } => {
    const now = clock.now();
    const messages = selectMessages.all(now, limit) as Row[];
    for (const { message_key: messageKey } of messages) {
      deleteAttempts.run(messageKey!);
      deleteMessage.run(messageKey!);
    }
    const keys = selectKeys.all(now, limit) as Row[];
    for (const { account_key: accountKey, key } of keys) deleteKey.run(accountKey!, key!);
    const usage = deleteUsage.run(oldestKeptMonth(now), limit);
    const next = selectNext.get() as Row;
    return {
      removed: messages.length + keys.length + Number(usage.changes),
      nextExpiry: next["expiry"] as number | null,
    };
  };
}
