import type { Run } from "../connections/connections.ts";

/**
 * At the beginning of a month no account has a share to count in, and many schedules may be due then. Gives a first
 * share with the whole limit to those of the accounts that have none, and waits for nobody: an account that is locked
 * is left out. The lock lasts until the commit, so that the limit stays as it is.
 */
export async function openShares(
  run: Run,
  month: string,
  accountIds: readonly string[],
): Promise<readonly string[]> {
  const rows = await run({
    name: "open-usage-shares",
    text: `
      WITH new AS MATERIALIZED (
        SELECT a.account_id, a.monthly_message_limit FROM unnest($2::text[]) AS u(account_id)
        CROSS JOIN LATERAL (
          SELECT account_id, monthly_message_limit FROM accounts
          WHERE accounts.account_id = u.account_id AND accounts.removal_time IS NULL
            AND NOT EXISTS (SELECT 1 FROM usage_shares s
              WHERE s.month = $1 AND s.account_id = u.account_id)
          FOR NO KEY UPDATE OF accounts SKIP LOCKED) AS a
      )
      INSERT INTO usage_shares (month, account_id, share, used, granted)
      SELECT $1, account_id, 0, 0, monthly_message_limit FROM new
      ON CONFLICT DO NOTHING RETURNING account_id`,
    values: [month, accountIds],
  });
  return rows.map((row) => row["account_id"] as string);
}
