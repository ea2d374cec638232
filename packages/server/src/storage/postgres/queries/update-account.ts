import type { Account } from "../../../domain/account.ts";
import type { AuditNote } from "../../../domain/audit.ts";
import type { AccountChange } from "../../store.ts";
import { closeAccount } from "../quotas/account-gate.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Run } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { moveClaimFences } from "../claims/claim-fence.ts";
import { lockAccount } from "./accounts.ts";
import { writeNotes } from "./audit-entries.ts";
import { forgetResumed, noteResumed } from "./resumed-accounts.ts";
import { grantShares } from "./usage.ts";

/**
 * A change of the state moves the claim fence of every target, as pausing a target does. Once this
 * resolves, no node claims by the old state.
 */
export function updateAccount({ connections }: Context) {
  return (
    accountId: string,
    change: AccountChange,
    note: AuditNote,
  ): Promise<Account | undefined> =>
    connections.transaction(async (run) => {
      if (change.state !== undefined) await closeAccount(run, accountId);
      const before = await lockAccount(run, accountId);
      if (before === undefined) return undefined;
      const after: Account = { ...before, ...withoutUndefined(change) };
      if (JSON.stringify(after) === JSON.stringify(before)) return before;
      const written = await writeAccount(run, after);
      if (after.monthlyMessageLimit !== before.monthlyMessageLimit) {
        await grantShares(run, accountId, after.monthlyMessageLimit);
      }
      if (after.state !== before.state) {
        const noteState = after.state === "ACTIVE" ? noteResumed : forgetResumed;
        await noteState(run, accountId);
        await moveClaimFences(run, await targetsOf(run, accountId));
      }
      await writeNotes(run, [note]);
      return written;
    }, accountId);
}

function withoutUndefined(change: AccountChange): Partial<Account> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

async function writeAccount(run: Run, account: Account): Promise<Account> {
  const [row] = await run({
    name: "update-account",
    text: `UPDATE accounts AS a SET name = $2, monthly_message_limit = $3, request_limit = $4,
        suspension_time = CASE WHEN $5 THEN coalesce(a.suspension_time, now_ms()) END
      WHERE a.account_id = $1 RETURNING ${accountColumns}`,
    values: [
      account.accountId,
      account.name,
      account.monthlyMessageLimit,
      account.requestLimit && JSON.stringify(account.requestLimit),
      account.state === "SUSPENDED",
    ],
  });
  return readAccount(row!);
}

async function targetsOf(run: Run, accountId: string): Promise<number[]> {
  const rows = await run({
    name: "targets-of-account",
    text: "SELECT target_key FROM targets WHERE account_id = $1 AND removal_time IS NULL",
    values: [accountId],
  });
  return rows.map((row) => row["target_key"] as number);
}
