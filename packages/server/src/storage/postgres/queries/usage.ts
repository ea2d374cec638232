import { monthOf } from "../../../domain/usage.ts";
import type { Usage } from "../../../domain/usage.ts";
import type { Run } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { admit, spread } from "../quotas/usage-shares.ts";
import type { UsageShare } from "../quotas/usage-shares.ts";
import { lockAccount } from "./accounts.ts";
import { readClock } from "./read-clock.ts";

const lastMonth = "9999-12";

export function getUsage({ connections }: Context) {
  return async (accountId: string): Promise<Usage | undefined> => {
    const run: Run = (query) => connections.query(query, accountId);
    const month = monthOf(await readClock(run));
    const [row] = await run({
      name: "get-usage",
      text: `SELECT monthly_message_limit, (SELECT coalesce(sum(used), 0)::bigint FROM usage_shares s
          WHERE s.month = $2 AND s.account_id = a.account_id) AS used
        FROM accounts a WHERE a.account_id = $1 AND a.removal_time IS NULL`,
      values: [accountId, month],
    });
    return row && { month, used: row["used"], limit: row["monthly_message_limit"] };
  };
}

/**
 * Grants what the new limit leaves. Waits for calls that hold this month's shares; later calls find
 * the new grants. The caller must have locked the account.
 */
export async function grantShares(
  run: Run,
  accountId: string,
  limit: number | null,
): Promise<void> {
  const month = monthOf(await readClock(run));
  // Later months exist if the clock was set back.
  const shares = await lockShares(run, accountId, { from: month, to: lastMonth });
  for (const [each, before] of Map.groupBy(shares, (share) => share.month)) {
    await writeShares(run, { accountId, month: each, before, after: spread(before, limit) });
  }
}

/**
 * Counts as many messages as the account's limit leaves, and answers with that number. Locks the
 * account until the commit. "no-account" means that the account is gone, and its targets with it.
 */
export async function admitMessages(
  run: Run,
  asked: { readonly accountId: string; readonly month: string; readonly count: number },
): Promise<number | "no-account"> {
  const { accountId, month, count } = asked;
  if (count === 0 || (await isUsedUp(run, accountId, month))) return 0;
  const account = await lockAccount(run, accountId);
  if (account === undefined) return "no-account";
  const before = await lockShares(run, accountId, { from: month, to: month });
  const { admitted, shares: after } = admit(before, account.monthlyMessageLimit, count);
  await writeShares(run, { accountId, month, before, after });
  return admitted;
}

/** Reads without a lock. The answer holds until the limit changes, because usage never falls. */
async function isUsedUp(run: Run, accountId: string, month: string): Promise<boolean> {
  const [row] = await run({
    name: "see-whether-used-up",
    text: `SELECT bool_and(used >= granted) AS used_up FROM usage_shares
      WHERE month = $1 AND account_id = $2`,
    values: [month, accountId],
  });
  return row!["used_up"] === true;
}

async function lockShares(
  run: Run,
  accountId: string,
  months: { readonly from: string; readonly to: string },
): Promise<(UsageShare & { readonly month: string })[]> {
  const rows = await run({
    name: "lock-usage-shares",
    text: `SELECT month, share, used, granted FROM usage_shares
      WHERE month BETWEEN $1 AND $2 AND account_id = $3
      ORDER BY month, share FOR NO KEY UPDATE`,
    values: [months.from, months.to, accountId],
  });
  return rows as (UsageShare & { readonly month: string })[];
}

async function writeShares(
  run: Run,
  change: {
    readonly accountId: string;
    readonly month: string;
    readonly before: readonly UsageShare[];
    readonly after: readonly UsageShare[];
  },
): Promise<void> {
  const changed = change.after.filter(({ used, granted }, index) => {
    const old = change.before[index];
    return old === undefined || old.used !== used || old.granted !== granted;
  });
  if (changed.length === 0) return;
  await run({
    name: "write-usage-shares",
    text: `INSERT INTO usage_shares (month, account_id, share, used, granted)
      SELECT $1, $2, u.share, u.used, u.granted
      FROM unnest($3::smallint[], $4::bigint[], $5::bigint[]) AS u(share, used, granted)
      ON CONFLICT (month, account_id, share)
        DO UPDATE SET used = excluded.used, granted = excluded.granted`,
    values: [
      change.month,
      change.accountId,
      changed.map(({ share }) => share),
      changed.map(({ used }) => used),
      changed.map(({ granted }) => granted),
    ],
  });
}
