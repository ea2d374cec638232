import type { DatabaseSync } from "node:sqlite";
import type { Transaction } from "../database/transaction.ts";

/** The port names accounts by text; the rows name them by a short number. */
export interface Accounts {
  /** Undefined if there is no such account, or it was removed. */
  keyOf(accountId: string): number | undefined;
  isSuspended(accountKey: number): boolean;
  /** The account was removed. */
  forget(accountId: string): void;
}

export function createAccounts(db: DatabaseSync, transaction: Transaction): Accounts {
  const select = db.prepare(
    "SELECT account_key FROM accounts WHERE account_id = ? AND removal_time IS NULL",
  );
  const selectSuspended = db.prepare(
    "SELECT 1 FROM accounts WHERE account_key = ? AND suspension_time IS NOT NULL",
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
    isSuspended: (accountKey) => selectSuspended.get(accountKey) !== undefined,
    forget: (accountId) => void known.delete(accountId),
  };
}
