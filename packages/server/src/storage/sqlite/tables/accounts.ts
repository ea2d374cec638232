import type { DatabaseSync } from "node:sqlite";
import type { Transaction } from "../database/transaction.ts";

/** Accounts are named by text at the port and by a short number in the rows. */
export interface Accounts {
  /** Undefined where there is no such account, or no longer. */
  keyOf(accountId: string): number | undefined;
  /** From here on there is no such account. */
  forget(accountId: string): void;
}

export function createAccounts(db: DatabaseSync, transaction: Transaction): Accounts {
  const select = db.prepare(
    "SELECT account_key FROM accounts WHERE account_id = ? AND removal_time IS NULL",
  );
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
    forget: (accountId) => void known.delete(accountId),
  };
}
