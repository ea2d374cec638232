import { activitySpans, keptMs } from "../../../domain/activity.ts";
import { oldestKeptMonth } from "../../../domain/usage.ts";
import type { ActivitySpan } from "../../../domain/activity.ts";
import { keepWaitingRuns, removeMovedRuns } from "../rows/moved-runs.ts";
import { removeOptionRows } from "../rows/option-rows.ts";
import type { WorkContext } from "./context.ts";
import { emptyAccounts } from "./empty-accounts.ts";
import { emptyEndedJobs } from "./empty-ended-jobs.ts";
import { readClock } from "./read-clock.ts";

/** Far longer than a change may wait: one that has waited this long belongs to a dead call. */
const longestWaitMs = 600_000;

/**
 * Removes what has expired: ended messages with their attempts, idempotency keys, revoked tokens,
 * sessions, months of usage, activity, audit entries, ended jobs and runs of schedules. Also removes the waiting
 * changes of dead calls, what ended jobs have noted about messages, and what removed accounts have left.
 */
export function removeExpired(context: WorkContext) {
  const { connections, auditRetentionMs } = context;
  const empty = emptyAccounts(context);
  return async (limit: number): Promise<{ removed: number; nextExpiry: number | null }> => {
    // Passed as a value: a clock that is asked again for every row cannot bound an index scan.
    const now = await readClock(connections.query);
    const emptiedJobs = await emptyEndedJobs(connections, limit);
    const [row] = await connections.query({
      name: "remove-expired",
      text: `
        WITH old AS MATERIALIZED (
          SELECT message_id FROM messages WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_keys AS MATERIALIZED (
          SELECT account_id, key FROM idempotency_keys WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_usage AS MATERIALIZED (
          SELECT month, account_id, share FROM usage_shares WHERE month < $2
          LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_changes AS MATERIALIZED (
          SELECT change_id FROM waiting_changes WHERE creation_time <= $4
          ORDER BY creation_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_tokens AS MATERIALIZED (
          SELECT token_id FROM revoked_tokens WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_sessions AS MATERIALIZED (
          SELECT hash FROM sessions WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_entries AS MATERIALIZED (
          SELECT entry_id FROM audit_entries WHERE time <= $5
          ORDER BY time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_jobs AS MATERIALIZED (
          SELECT account_id, job_id FROM jobs WHERE expiration_time <= $3 AND emptied
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), old_runs AS MATERIALIZED (
          SELECT schedule_key, run_time, trigger, message_id FROM schedule_runs WHERE expiration_time <= $3
          ORDER BY expiration_time LIMIT $1 FOR UPDATE SKIP LOCKED
        ), ${activitySpans.map(oldActivity).join(", ")}, gone_attempts AS (
          DELETE FROM attempts WHERE message_id IN (SELECT message_id FROM old)
        ), gone AS (
          DELETE FROM messages WHERE message_id IN (SELECT message_id FROM old)
          RETURNING account_id, target_key, message_id, options
        ), ${removeOptionRows("gone")}, ${removeMovedRuns("gone")}, gone_keys AS (
          DELETE FROM idempotency_keys k USING old_keys o
          WHERE k.account_id = o.account_id AND k.key = o.key
        ), gone_usage AS (
          DELETE FROM usage_shares u USING old_usage o
          WHERE u.month = o.month AND u.account_id = o.account_id AND u.share = o.share
        ), gone_changes AS (
          DELETE FROM waiting_changes WHERE change_id IN (SELECT change_id FROM old_changes)
        ), gone_tokens AS (
          DELETE FROM revoked_tokens WHERE token_id IN (SELECT token_id FROM old_tokens)
        ), gone_sessions AS (
          DELETE FROM sessions WHERE hash IN (SELECT hash FROM old_sessions)
        ), gone_entries AS (
          DELETE FROM audit_entries WHERE entry_id IN (SELECT entry_id FROM old_entries)
        ), gone_jobs AS (
          DELETE FROM jobs j USING old_jobs o
          WHERE j.account_id = o.account_id AND j.job_id = o.job_id
        ), ${keepWaitingRuns("old_runs")}, gone_runs AS (
          DELETE FROM schedule_runs r USING old_runs o
          WHERE r.schedule_key = o.schedule_key AND r.run_time = o.run_time
        )
        SELECT ${activitySpans.map((span) => `(SELECT count(*) FROM old_${span}s)::int + `).join("")} (SELECT count(*) FROM old)::int + (SELECT count(*) FROM old_keys)::int
          + (SELECT count(*) FROM old_usage)::int
          + (SELECT count(*) FROM old_changes)::int + (SELECT count(*) FROM old_tokens)::int
          + (SELECT count(*) FROM old_sessions)::int
          + (SELECT count(*) FROM old_entries)::int + (SELECT count(*) FROM old_jobs)::int
          + (SELECT count(*) FROM old_runs)::int AS removed`,
      values: [
        ...[limit, oldestKeptMonth(now), now, now - longestWaitMs, now - auditRetentionMs],
        ...activitySpans.map((span) => now - keptMs[span]),
      ],
    });
    const [next] = await connections.query({
      name: "next-expiry",
      text: `SELECT least(
        (SELECT min(expiration_time) FROM messages WHERE expiration_time IS NOT NULL),
        (SELECT min(expiration_time) FROM idempotency_keys),
        (SELECT min(expiration_time) FROM jobs WHERE expiration_time IS NOT NULL),
        (SELECT min(expiration_time) FROM schedule_runs)) AS expiry`,
    });
    const emptied = await empty(limit);
    const isDone = emptied.isDone && emptiedJobs.isDone;
    return {
      removed: (row!["removed"] as number) + emptiedJobs.removed + emptied.removed,
      nextExpiry: isDone ? (next!["expiry"] as number | null) : now,
    };
  };
}

/** Rows whose span began too long ago: the time is in the parameter behind the five that come first. */
function oldActivity(span: ActivitySpan, place: number): string {
  return `old_${span}s AS MATERIALIZED (
      SELECT account_id, target_key, span, time FROM activity
      WHERE span = ${place} AND time < $${6 + place}
      ORDER BY time LIMIT $1 FOR UPDATE SKIP LOCKED
    ), gone_${span}s AS (
      DELETE FROM activity a USING old_${span}s o
      WHERE a.account_id = o.account_id AND a.target_key = o.target_key AND a.span = o.span
        AND a.time = o.time
    )`;
}
