import type { Instant } from "../../../../domain/instant.ts";
import type { Context } from "../context.ts";

/** Removes events from the beginning of the logs, the oldest log first. */
export function removeOldEvents({ db, clock, logHeads, eventRetentionMs }: Context) {
  const selectOldest = db.prepare(
    `SELECT account_key, first_time FROM event_logs WHERE first_time IS NOT NULL
     ORDER BY first_time LIMIT 1`,
  );
  const selectFirst = db.prepare(
    `SELECT position, log_time FROM events WHERE account_key = ? AND position > ?
     ORDER BY position LIMIT ?`,
  );
  selectFirst.setReturnArrays(true);
  const remove = db.prepare("DELETE FROM events WHERE account_key = ? AND position <= ?");

  /** Of one log. Answers with how many it removed. */
  function removeSome(accountKey: number, now: Instant, limit: number): number {
    const { removedUpTo } = logHeads.spanOf(accountKey);
    const rows = selectFirst.all(accountKey, removedUpTo, limit + 1) as unknown as [
      number,
      number,
    ][];
    const young = rows.findIndex(([, logTime]) => logTime + eventRetentionMs > now);
    const count = Math.min(young < 0 ? rows.length : young, limit);
    const next = rows[count];
    const last = rows[count - 1]?.[0] ?? removedUpTo;
    remove.run(accountKey, last);
    logHeads.removeUpTo(accountKey, last, next === undefined ? null : next[1]);
    logHeads.persistAll();
    return count;
  }

  return (limit: number): { removed: number; nextExpiry: number | null } => {
    const now = clock.now();
    logHeads.persistAll();
    let removed = 0;
    for (;;) {
      const oldest = selectOldest.get();
      if (oldest === undefined) return { removed, nextExpiry: null };
      const nextExpiry = (oldest["first_time"] as number) + eventRetentionMs;
      if (nextExpiry > now || removed >= limit) return { removed, nextExpiry };
      removed += removeSome(oldest["account_key"] as number, now, limit - removed);
    }
  };
}
