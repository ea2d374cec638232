import { activitySpans, keptMs } from "../../../domain/activity.ts";
import { oldestKeptMonth } from "../../../domain/usage.ts";
import type { Context } from "./context.ts";
import type { Row } from "../rows/rows.ts";
import { emptyAccounts } from "./empty-accounts.ts";
import { removeJobs } from "./remove-jobs.ts";

/**
 * Removes what has expired: ended messages with their attempts, ended jobs, runs of schedules, idempotency
 * keys, revoked tokens, sessions, months of usage, activity and audit entries. Also removes what removed accounts
 * have left.
 */
export function removeExpired(context: Context) {
  const { db, clock, messages, runs, auditRetentionMs } = context;
  const empty = emptyAccounts(context);
  const removeEndedJobs = removeJobs(context);
  const selectMessages = db.prepare(
    `SELECT message_key FROM messages WHERE expiration_time <= ?
     ORDER BY expiration_time LIMIT ?`,
  );
  const selectKeys = db.prepare(
    `SELECT account_key, key FROM idempotency_keys WHERE expiration_time <= ?
     ORDER BY expiration_time LIMIT ?`,
  );
  const deleteKey = db.prepare("DELETE FROM idempotency_keys WHERE account_key = ? AND key = ?");
  const deleteUsage = db.prepare(
    `DELETE FROM monthly_usage WHERE (month, account_key) IN
       (SELECT month, account_key FROM monthly_usage WHERE month < ? LIMIT ?)`,
  );
  const deleteTokens = db.prepare(
    `DELETE FROM revoked_tokens WHERE token_id IN
       (SELECT token_id FROM revoked_tokens WHERE expiration_time <= ? LIMIT ?)`,
  );
  const deleteSessions = db.prepare(
    `DELETE FROM sessions WHERE hash IN
       (SELECT hash FROM sessions WHERE expiration_time <= ? LIMIT ?)`,
  );
  const deleteEntries = db.prepare(
    `DELETE FROM audit_entries WHERE entry_id IN
       (SELECT entry_id FROM audit_entries WHERE time <= ? ORDER BY time LIMIT ?)`,
  );
  const deleteActivity = db.prepare(
    `DELETE FROM activity WHERE (account_key, target_key, span, time) IN
       (SELECT account_key, target_key, span, time FROM activity WHERE span = ? AND time < ?
        ORDER BY time LIMIT ?)`,
  );
  const selectNext = db.prepare(
    `SELECT min(expiry) AS expiry FROM (
       SELECT min(expiration_time) AS expiry FROM messages WHERE expiration_time IS NOT NULL
       UNION ALL SELECT min(expiration_time) FROM idempotency_keys
       UNION ALL SELECT min(expiration_time) FROM schedule_runs
       UNION ALL SELECT min(expiration_time) FROM jobs WHERE expiration_time IS NOT NULL)`,
  );

  return (limit: number): { removed: number; nextExpiry: number | null } => {
    const now = clock.now();
    const expired = selectMessages.all(now, limit) as Row[];
    for (const row of expired) messages.remove(row["message_key"] as number, false);
    const keys = selectKeys.all(now, limit) as Row[];
    for (const { account_key: accountKey, key } of keys) deleteKey.run(accountKey!, key!);
    const others = [
      deleteUsage.run(oldestKeptMonth(now), limit),
      deleteTokens.run(now, limit),
      deleteSessions.run(now, limit),
      deleteEntries.run(now - auditRetentionMs, limit),
      ...activitySpans.map((span, place) => deleteActivity.run(place, now - keptMs[span], limit)),
    ].reduce((sum, { changes }) => sum + Number(changes), 0);
    const expiredRuns = runs.removeExpired(now, limit);
    const emptied = empty(limit);
    const jobs = removeEndedJobs(now, limit);
    const next = selectNext.get() as Row;
    return {
      removed: expired.length + keys.length + others + expiredRuns + emptied.removed + jobs.removed,
      nextExpiry: emptied.isDone && jobs.isDone ? (next["expiry"] as number | null) : now,
    };
  };
}
