import type { Instant } from "../../../../domain/instant.ts";
import { oldEventsOf } from "../../../event-log/bundles.ts";
import type { Context } from "../context.ts";
import { bundleReader } from "./read-events.ts";

/** Removes events from the beginning of the logs: of those that are too long, then of the oldest. */
export function removeOldEvents(context: Context) {
  const { db, clock, events, logHeads, longLogs, eventRetentionMs } = context;
  const selectOldest = db.prepare(
    `SELECT account_key, first_time FROM event_logs WHERE first_time IS NOT NULL
     ORDER BY first_time LIMIT 1`,
  );
  const bundlesAfter = bundleReader({ db });
  const remove = db.prepare(
    "DELETE FROM event_bundles WHERE account_key = ? AND last_position <= ?",
  );

  /** Of one log. Answers with how many it removed. */
  function removeSome(accountKey: number, until: Instant, limit: number): number {
    const { removedUpTo, last } = logHeads.spanOf(accountKey);
    const bundles = bundlesAfter(accountKey, removedUpTo);
    const excessUpTo = longLogs.excessUpTo({ last });
    const old = oldEventsOf(bundles, removedUpTo, { until, excessUpTo, limit });
    longLogs.forget(accountKey);
    // The account may have been removed, and its log with it.
    if (old.upTo === removedUpTo) return 0;
    remove.run(accountKey, old.upTo);
    logHeads.remove(accountKey, old);
    logHeads.persistAll();
    return old.upTo - removedUpTo;
  }

  return (limit: number): { removed: number; nextExpiry: number | null } => {
    const until = clock.now() - eventRetentionMs;
    events.persistAll();
    let removed = 0;
    while (removed < limit && longLogs.next !== undefined) {
      removed += removeSome(longLogs.next, until, limit - removed);
    }
    for (;;) {
      const oldest = selectOldest.get();
      if (oldest === undefined) return { removed, nextExpiry: null };
      const firstTime = oldest["first_time"] as number;
      if (firstTime > until || removed >= limit) {
        return { removed, nextExpiry: firstTime + eventRetentionMs };
      }
      removed += removeSome(oldest["account_key"] as number, until, limit - removed);
    }
  };
}
