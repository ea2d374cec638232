import type { DatabaseSync } from "node:sqlite";
import type { Transaction } from "../database/transaction.ts";

/** Beyond this, those that were looked up longest ago are looked up again. */
const mostKnown = 10_000;

/** Targets are named by text at the port and by a short number in the rows. */
export interface KnownTargets {
  /** Undefined where the account has no such target, or no longer. */
  keyOf(accountKey: number, targetId: string): number | undefined;
  /** One was removed. */
  forget(): void;
}

export function createKnownTargets(db: DatabaseSync, transaction: Transaction): KnownTargets {
  const select = db.prepare(
    "SELECT target_key FROM targets WHERE account_key = ? AND target_id = ? AND removal_time IS NULL",
  );
  const known = new Map<string, number>();
  return {
    keyOf(accountKey, targetId) {
      const name = `${accountKey}/${targetId}`;
      const cached = known.get(name);
      if (cached !== undefined) return cached;
      const row = select.get(accountKey, targetId) as { target_key: number } | undefined;
      if (row === undefined) return undefined;
      if (known.size >= mostKnown) known.delete(known.keys().next().value ?? "");
      known.set(name, row.target_key);
      transaction.onRollback(() => known.delete(name));
      return row.target_key;
    },
    forget: () => known.clear(),
  };
}
