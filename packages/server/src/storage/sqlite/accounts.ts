import type { DatabaseSync } from "node:sqlite";
import type { Transaction } from "./transaction.ts";

/** Accounts are named by text at the port and by a short number in the rows. */
export interface Accounts {
  keyOf(accountId: string): number | undefined;
}

export function createAccounts(db: DatabaseSync, transaction: Transaction): Accounts {
  const select = db.prepare("SELECT account_key FROM accounts WHERE account_id = ?");
  const known = new Map<string, number>();
  return {
    keyOf(accountId) {
      const cached = known.get(accountId);
      if (cached !== undefined) return cached;
      const row = select.get(accountId) as { account_key: number } | undefined;
      if (row !== undefined) {
        known.set(accountId, row.account_key);
        transaction.onRollback(() => known.delete(accountId));
      }
      return row?.account_key;
    },
  };
}
