import type { Run } from "../connections.ts";
import type { Context } from "../context.ts";
import { removeTargetsOf } from "./remove-targets.ts";

/** Accounts that wait for something in flight must not keep those behind them waiting. */
const accountsAtATime = 20;

const scheduledOf = (filter: string): string => `
  SELECT message_id FROM messages m
  WHERE m.target_key = t.target_key AND m.next_delivery_time IS NOT NULL ${filter} LIMIT $2`;
const deadOf = `
  SELECT message_id FROM messages m
  WHERE m.target_key = t.target_key AND m.dead_letter_time IS NOT NULL LIMIT $2`;
const unclaimed = `AND NOT EXISTS (SELECT 1 FROM claims c
  WHERE c.target_key = m.target_key AND c.message_id = m.message_id)`;

const leftOf = (filter: string): string => `
  SELECT m.message_id FROM targets t
  CROSS JOIN LATERAL ((${scheduledOf(filter)}) UNION ALL (${deadOf})) AS m
  WHERE t.account_id = $1 LIMIT $2`;

/**
 * Removes what accounts that are gone have left: scheduled messages, dead letters and idempotency keys,
 * and targets, where the removal of the account was cut short. What else is on record expires. A message
 * in flight stays until its attempt has ended; no new claim can be made.
 */
export function emptyAccounts({ connections }: Context) {
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
      // Before the account is locked: whoever schedules locks the targets first, and then the account.
      const left = limit - removed;
      removed += (await removeTargetsOf(connections, { accountId, after: null, limit: left }))
        .count;
      if (removed >= limit) break;
      removed += await connections.transaction((run) => emptyOne(run, accountId, limit - removed));
    }
    const isDone = accountIds.length === 0 || (await selectAccounts(1)).length === 0;
    return { removed, isDone };
  };
}

async function emptyOne(run: Run, accountId: string, limit: number): Promise<number> {
  const locked = await run({
    name: "lock-account-to-empty",
    text: `SELECT 1 FROM accounts WHERE account_id = $1 AND NOT emptied
      FOR NO KEY UPDATE SKIP LOCKED`,
    values: [accountId],
  });
  // Another node is at it.
  if (locked.length === 0) return 0;
  const [row] = await run({
    name: "empty-account",
    text: `
      WITH left_over AS MATERIALIZED (${leftOf(unclaimed)}
      ), gone_attempts AS (
        DELETE FROM attempts WHERE message_id IN (SELECT message_id FROM left_over)
      ), gone AS (
        DELETE FROM messages WHERE message_id IN (SELECT message_id FROM left_over)
      ), keys AS MATERIALIZED (
        SELECT key FROM idempotency_keys WHERE account_id = $1 LIMIT $2
      ), gone_keys AS (
        DELETE FROM idempotency_keys k USING keys WHERE k.account_id = $1 AND k.key = keys.key
      )
      SELECT (SELECT count(*) FROM left_over)::int AS messages,
        (SELECT count(*) FROM keys)::int AS keys`,
    values: [accountId, limit],
  });
  const { messages, keys } = row as { readonly messages: number; readonly keys: number };
  if (messages < limit && keys < limit && !(await hasLeft(run, accountId))) {
    await run({
      name: "set-account-emptied",
      text: "UPDATE accounts SET emptied = true WHERE account_id = $1",
      values: [accountId],
    });
  }
  return messages + keys;
}

/** What is in flight counts. To a target that is not removed yet, more may be scheduled. */
async function hasLeft(run: Run, accountId: string): Promise<boolean> {
  const rows = await run({
    name: "find-left-of-account",
    text: `(SELECT 1 FROM targets WHERE account_id = $1 AND removal_time IS NULL LIMIT $2)
      UNION ALL (SELECT 1 FROM (${leftOf("")}) AS left_over)`,
    values: [accountId, 1],
  });
  return rows.length > 0;
}
