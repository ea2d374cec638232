import type { DatabaseSync } from "node:sqlite";

/** Remembers which accounts were resumed, so that their schedules go on. */
export function resumedAccounts(db: DatabaseSync) {
  const insert = db.prepare("INSERT OR IGNORE INTO resumed_accounts (account_key) VALUES (?)");
  const remove = db.prepare("DELETE FROM resumed_accounts WHERE account_key = ?");
  return {
    add: (accountKey: number): void => void insert.run(accountKey),
    remove: (accountKey: number): void => void remove.run(accountKey),
  };
}
