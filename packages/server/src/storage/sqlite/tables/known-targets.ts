import type { DatabaseSync } from "node:sqlite";
import type { Transaction } from "../database/transaction.ts";

/** When more are known, those looked up longest ago are forgotten. */
const mostKnown = 10_000;

/** The port names targets by text; the rows name them by a short number. */
export interface KnownTargets {
  /** Undefined if the account has no such target, or it was removed. */
  keyOf(accountKey: number, targetId: string): number | undefined;
  /** A target was removed. */
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
