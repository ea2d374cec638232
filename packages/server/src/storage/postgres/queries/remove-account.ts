import type { AuditNote } from "../../../domain/audit.ts";
import type { RemoveAccountResult } from "../../store.ts";
import { closeAccount } from "../quotas/account-gate.ts";
import type { Context } from "../context.ts";
import { moveClaimFences } from "../claims/claim-fence.ts";
import { lockAccount } from "./accounts.ts";
import { writeNotes } from "./audit-entries.ts";

/**
 * Locks in the order in which scheduling does: the targets, by their ids, then the account. Who is
 * scheduling to one of them is waited for, and who comes next finds no target.
 */
export function removeAccount({ connections }: Context) {
  return (accountId: string, note: AuditNote): Promise<RemoveAccountResult> =>
    connections.transaction(async (run) => {
      await closeAccount(run, accountId);
      const targets = await run({
        name: "lock-targets-of-account",
        text: `SELECT target_key FROM targets WHERE account_id = $1 AND removal_time IS NULL
          ORDER BY target_id FOR UPDATE`,
        values: [accountId],
      });
      const account = await lockAccount(run, accountId);
      if (account === undefined) return { kind: "not-found" };
      if (account.state !== "SUSPENDED") return { kind: "not-suspended" };
      const targetKeys = targets.map((row) => row["target_key"] as number);
      await moveClaimFences(run, targetKeys);
      await run({
        name: "remove-targets",
        text: `UPDATE targets SET removal_time = now_ms(), sealed_settings = '', sealed_secrets = '',
            revision = revision + 1
          WHERE target_key = ANY($1::int[])`,
        values: [targetKeys],
      });
      for (const table of ["access_keys", "clients", "request_buckets"] as const) {
        await run({
          name: `remove-${table}`,
          text: `DELETE FROM ${table} WHERE account_id = $1`,
          values: [accountId],
        });
      }
      await run({
        name: "remove-account",
        text: "UPDATE accounts SET removal_time = now_ms() WHERE account_id = $1",
        values: [accountId],
      });
      await writeNotes(run, [note]);
      return { kind: "removed", account };
    }, accountId);
}
