import type { Context } from "./context.ts";
import type { Row } from "../rows/rows.ts";

/** Accounts with messages in flight must not delay the accounts behind them. */
const accountsAtATime = 20;
const targetsAtATime = 500;

/**
 * Removes what removed accounts have left: the content and the health of their targets, schedules with their runs, scheduled
 * messages, dead letters, idempotency keys, activity and the log of events. Other rows expire. A message in flight stays until its attempt has
 * ended.
 */
export function emptyAccounts(context: Context) {
  const { db, clock, claims, messages, schedules, runs, events, targetHealth } = context;
  const selectAccounts = db.prepare(
    "SELECT account_key FROM accounts WHERE removal_time IS NOT NULL AND emptied = 0 LIMIT ?",
  );
  const selectMessages = (["next_delivery_time", "dead_letter_time"] as const).map((column) =>
    db.prepare(
      `SELECT message_key, next_delivery_time IS NOT NULL AS scheduled
       FROM targets t CROSS JOIN messages m ON m.target_key = t.target_key
       WHERE t.account_key = ? AND m.${column} IS NOT NULL LIMIT ?`,
    ),
  );
  const deleteKeys = db.prepare(
    `DELETE FROM idempotency_keys WHERE (account_key, key) IN
       (SELECT account_key, key FROM idempotency_keys WHERE account_key = ? LIMIT ?)`,
  );
  const deleteActivity = db.prepare(
    `DELETE FROM activity WHERE (account_key, target_key, span, time) IN
       (SELECT account_key, target_key, span, time FROM activity WHERE account_key = ? LIMIT ?)`,
  );
  const deleteBundles = db.prepare(
    `DELETE FROM event_bundles WHERE (account_key, last_position) IN
       (SELECT account_key, last_position FROM event_bundles WHERE account_key = ?
        ORDER BY last_position LIMIT ?)`,
  );
  const deleteLog = db.prepare("DELETE FROM event_logs WHERE account_key = ?");
  const removeTargets = db.prepare(
    `UPDATE targets SET removal_time = ?, sealed_settings = '', sealed_secrets = '',
       revision = revision + 1
     WHERE target_key IN
       (SELECT target_key FROM targets
        WHERE account_key = ? AND target_id > ? AND removal_time IS NULL
        ORDER BY target_id LIMIT ?)
     RETURNING target_id, target_key`,
  );
  const selectSchedules = db.prepare(
    "SELECT schedule_key FROM schedules WHERE account_key = ? LIMIT ?",
  );
  /** The last target that was emptied, by account: the next piece does not begin at the first again. */
  const reached = new Map<number, string>();
  const setEmptied = db.prepare("UPDATE accounts SET emptied = 1 WHERE account_key = ?");

  /** Returns false if there are more: one piece is enough for one call. */
  function emptyTargets(accountKey: number): boolean {
    const after = reached.get(accountKey) ?? "";
    const emptied = removeTargets.all(clock.now(), accountKey, after, targetsAtATime) as Row[];
    reached.delete(accountKey);
    for (const row of emptied) targetHealth.forget(accountKey, row["target_key"] as number);
    // A piece may have been undone with the commit that it shared: the last call begins at the first.
    if (emptied.length < targetsAtATime) return after === "";
    const ids = emptied.map((row) => row["target_id"] as string);
    reached.set(
      accountKey,
      ids.reduce((one, other) => (one > other ? one : other)),
    );
    return false;
  }

  /** Returns how many rows it removed. As many as the limit: there may be more. */
  function removeSchedules(accountKey: number, limit: number): number {
    let left = limit;
    for (const { schedule_key: key } of selectSchedules.all(accountKey, limit)) {
      const scheduleKey = key as number;
      left -= runs.removeAll(scheduleKey, left);
      if (left <= 0) break;
      schedules.remove({ scheduleKey, accountKey });
      left--;
    }
    return limit - left;
  }

  function emptyOne(accountKey: number, limit: number): number {
    if (!emptyTargets(accountKey)) return limit;
    if (removeSchedules(accountKey, limit) >= limit) return limit;
    const keys = Number(deleteKeys.run(accountKey, limit).changes);
    const activity = Number(deleteActivity.run(accountKey, limit).changes);
    const bundles = Number(deleteBundles.run(accountKey, limit).changes);
    // One more than may go: a row left over says that there is more to do.
    const most = limit + claims.count + 1;
    const found = selectMessages.flatMap((select) => select.all(accountKey, most) as Row[]);
    const free = found.filter((row) => claims.get(row["message_key"] as number) === undefined);
    const removed = free.slice(0, limit);
    for (const row of removed) {
      messages.remove(row["message_key"] as number, row["scheduled"] === 1);
    }
    const isEmpty = found.length === removed.length && Math.max(keys, activity, bundles) < limit;
    if (isEmpty) {
      deleteLog.run(accountKey);
      setEmptied.run(accountKey);
    }
    return keys + activity + bundles + removed.length;
  }

  return (limit: number): { readonly removed: number; readonly isDone: boolean } => {
    // Also what calls before this one tell, with which it shares a commit.
    events.persistAll();
    let removed = 0;
    for (const { account_key: accountKey } of selectAccounts.all(accountsAtATime)) {
      if (removed >= limit) break;
      removed += emptyOne(accountKey as number, limit - removed);
    }
    return { removed, isDone: selectAccounts.get(1) === undefined };
  };
}
