import type { Connections, Run } from "../connections/connections.ts";
import { removeMovedRuns } from "../rows/moved-runs.ts";
import { removeOptionRows } from "../rows/option-rows.ts";
import type { WorkContext } from "./context.ts";
import { removeTargetsOf } from "./remove-targets.ts";
import { removeSchedulesOf } from "./remove-schedules.ts";

/** Accounts with messages in flight must not delay the accounts behind them. */
const accountsAtATime = 20;

/** How many targets one transaction looks through, however many the account had. */
const targetsAtATime = 5_000;

const unclaimedOf = `
  SELECT message_id FROM messages m
  WHERE m.target_key = t.target_key AND m.next_delivery_time IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM claims c
      WHERE c.target_key = m.target_key AND c.message_id = m.message_id)
  LIMIT $2`;
const deadOf = `
  SELECT message_id FROM messages m
  WHERE m.target_key = t.target_key AND m.dead_letter_time IS NOT NULL LIMIT $2`;

/**
 * Removes what removed accounts have left: scheduled messages, dead letters, recurring schedules,
 * idempotency keys, events and activity, and also targets if the removal of the account was interrupted. Other rows expire. A message in
 * flight stays until its attempt has ended. No new claim is possible.
 */
export function emptyAccounts({ connections }: WorkContext) {
  const selectAccounts = async (limit: number): Promise<string[]> => {
    const rows = await connections.query({
      name: "find-accounts-to-empty",
      text: `SELECT account_id FROM accounts WHERE removal_time IS NOT NULL AND NOT emptied
        ORDER BY removal_time LIMIT $1`,
      values: [limit],
    });
    return rows.map((row) => row["account_id"] as string);
  };
  return async (limit: number): Promise<{ readonly removed: number; readonly isDone: boolean }> => {
    const accountIds = await selectAccounts(accountsAtATime);
    let removed = 0;
    for (const accountId of accountIds) {
      if (removed >= limit) break;
      // Before the account is locked: scheduling locks the targets first, then the account.
      const left = limit - removed;
      removed += (await removeTargetsOf(connections, { accountId, after: null, limit: left }))
        .count;
      if (removed < limit) removed += await emptyOne(connections, accountId, limit - removed);
    }
    const isDone = accountIds.length === 0 || (await selectAccounts(1)).length === 0;
    return { removed, isDone };
  };
}

/** The account has no target left, so nobody adds to what is found here. */
async function emptyOne(
  connections: Connections,
  accountId: string,
  limit: number,
): Promise<number> {
  const schedules = await removeSchedulesOf(connections, accountId, limit);
  if (schedules.removed >= limit) return schedules.removed;
  const rows =
    schedules.removed +
    (await removeKeys(connections, accountId, limit)) +
    (await removeEvents(connections, accountId, limit)) +
    (await removeActivity(connections, accountId, limit));
  let messages = 0;
  let { hasLeft } = schedules;
  for (let after: string | null = ""; after !== null;) {
    const piece: EmptiedPiece | undefined = await emptyPiece(connections, {
      accountId,
      after,
      limit: limit - messages,
    });
    // Another node is emptying the account.
    if (piece === undefined) return rows + messages;
    messages += piece.messages;
    if (messages >= limit) return rows + messages;
    hasLeft ||= piece.hasLeft;
    after = piece.next;
  }
  if (!hasLeft && rows < limit) {
    await connections.query({
      name: "set-account-emptied",
      text: "UPDATE accounts SET emptied = true WHERE account_id = $1",
      values: [accountId],
    });
  }
  return rows + messages;
}

async function removeKeys(
  connections: Connections,
  accountId: string,
  limit: number,
): Promise<number> {
  const [row] = await connections.query({
    name: "remove-keys-of-account",
    text: `
      WITH keys AS MATERIALIZED (
        SELECT key FROM idempotency_keys WHERE account_id = $1 LIMIT $2
      ), gone AS (
        DELETE FROM idempotency_keys k USING keys WHERE k.account_id = $1 AND k.key = keys.key
        RETURNING 1
      )
      SELECT count(*)::int AS count FROM gone`,
    values: [accountId, limit],
  });
  return row!["count"] as number;
}

/** The log first: what is still in the outbox is moved nowhere then. */
async function removeEvents(
  connections: Connections,
  accountId: string,
  limit: number,
): Promise<number> {
  await connections.query({
    name: "remove-log-of-account",
    text: "DELETE FROM event_logs WHERE account_id = $1",
    values: [accountId],
  });
  const [row] = await connections.query({
    name: "remove-events-of-account",
    text: `
      WITH first AS MATERIALIZED (
        SELECT last_position FROM event_bundles WHERE account_id = $1
        ORDER BY last_position LIMIT $2
      ), gone AS (
        DELETE FROM event_bundles b USING first
        WHERE b.account_id = $1 AND b.last_position = first.last_position RETURNING 1
      )
      SELECT count(*)::int AS count FROM gone`,
    values: [accountId, limit],
  });
  return row!["count"] as number;
}

async function removeActivity(
  connections: Connections,
  accountId: string,
  limit: number,
): Promise<number> {
  const [row] = await connections.query({
    name: "remove-activity-of-account",
    text: `
      WITH old AS MATERIALIZED (
        SELECT target_key, span, time FROM activity WHERE account_id = $1 LIMIT $2
      ), gone AS (
        DELETE FROM activity a USING old
        WHERE a.account_id = $1 AND a.target_key = old.target_key AND a.span = old.span
          AND a.time = old.time
        RETURNING 1
      )
      SELECT count(*)::int AS count FROM gone`,
    values: [accountId, limit],
  });
  return row!["count"] as number;
}

interface EmptiedPiece {
  readonly messages: number;
  /** Whether something is in flight. */
  readonly hasLeft: boolean;
  /** The target after which the next piece begins; null if there is none. */
  readonly next: string | null;
}

/** Undefined if another node has locked the account. */
function emptyPiece(
  connections: Connections,
  {
    accountId,
    after,
    limit,
  }: { readonly accountId: string; readonly after: string; readonly limit: number },
): Promise<EmptiedPiece | undefined> {
  return connections.transaction(async (run) => {
    if (!(await lockToEmpty(run, accountId))) return undefined;
    const [row] = await run({
      name: "empty-account",
      text: `
        WITH looked AS MATERIALIZED (
          SELECT target_key, target_id FROM targets
          WHERE account_id = $1 AND target_id > $3 ORDER BY target_id LIMIT $4
        ), left_over AS MATERIALIZED (
          SELECT m.message_id FROM looked t
          CROSS JOIN LATERAL ((${unclaimedOf}) UNION ALL (${deadOf})) AS m LIMIT $2
        ), gone_attempts AS (
          DELETE FROM attempts WHERE message_id IN (SELECT message_id FROM left_over)
        ), gone AS (
          DELETE FROM messages WHERE message_id IN (SELECT message_id FROM left_over)
          RETURNING account_id, target_key, message_id, options
        ), gone_target_events AS (
          DELETE FROM target_events e USING looked t WHERE e.target_key = t.target_key
        ), gone_health AS (
          DELETE FROM target_health h USING looked t WHERE h.target_key = t.target_key
        ), ${removeOptionRows("gone")}, ${removeMovedRuns("gone")}
        SELECT (SELECT count(*) FROM left_over)::int AS messages,
          (SELECT count(*) FROM looked)::int AS looked,
          (SELECT target_id FROM looked ORDER BY target_id DESC LIMIT 1) AS last,
          EXISTS (SELECT 1 FROM looked t CROSS JOIN LATERAL (
            SELECT 1 FROM claims c WHERE c.target_key = t.target_key LIMIT 1) AS c) AS has_left`,
      values: [accountId, limit, after, targetsAtATime],
    });
    const { messages, looked, last, has_left: hasLeft } = row!;
    return { messages, hasLeft, next: looked < targetsAtATime ? null : last };
  });
}

async function lockToEmpty(run: Run, accountId: string): Promise<boolean> {
  const locked = await run({
    name: "lock-account-to-empty",
    text: `SELECT 1 FROM accounts WHERE account_id = $1 AND NOT emptied
      FOR NO KEY UPDATE SKIP LOCKED`,
    values: [accountId],
  });
  return locked.length > 0;
}
