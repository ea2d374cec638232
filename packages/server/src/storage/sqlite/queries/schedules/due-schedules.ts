import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../../../domain/message.ts";
import { heldLookTime } from "../../../held-schedules.ts";
import type { Values } from "../../rows/rows.ts";
import { fromSchedules, readSchedule, scheduleColumns } from "../../tables/schedule-table.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";

/** How many are read at once: whole, so that none needs a statement of its own. */
const piece = 50;

/** How many schedules of an account go on in its turn. */
const turn = 5;

/** How many accounts are looked at for one piece. Most of them may have nothing due. */
const mostVisits = 50;

/**
 * Which schedules are to be looked at. Half of them are those that are the longest due. But an account with very many
 * would delay all others, so for the other half the accounts take turns.
 */
export function dueSchedules(db: DatabaseSync) {
  const selectEarliest = db.prepare(
    `SELECT ${scheduleColumns} ${fromSchedules} WHERE look_time <= ?
     ORDER BY look_time LIMIT ?`,
  );
  selectEarliest.setReturnArrays(true);
  // Other indexes begin with the account too, but hold schedules that nobody has to look at.
  const selectAccount = db.prepare(
    `SELECT account_key FROM schedules INDEXED BY schedules_by_account_and_look
     WHERE account_key > ? AND look_time IS NOT NULL ORDER BY account_key LIMIT 1`,
  );
  const selectOfAccount = db.prepare(
    `SELECT ${scheduleColumns} ${fromSchedules} WHERE account_key = ? AND look_time <= ?
     ORDER BY look_time LIMIT ?`,
  );
  selectOfAccount.setReturnArrays(true);
  const selectNext = db.prepare(
    `SELECT min(look_time) AS next FROM schedules WHERE look_time < ${heldLookTime}`,
  );
  /** The account that had the last turn. */
  let reached = 0;
  /** Whether the last piece was chosen by account. The next call does not begin with the same. */
  let isInTurn = false;

  function accountAfter(accountKey: number): number | undefined {
    return selectAccount.get(accountKey)?.["account_key"] as number | undefined;
  }

  function earliest(now: Instant, most: number): Iterable<StoredSchedule> {
    return (selectEarliest.all(now, most) as unknown as Values[]).map(readSchedule);
  }

  /** From where the last turns ended. */
  function* inTurn(now: Instant, most: number): Generator<StoredSchedule, void, undefined> {
    const visited = new Set<number>();
    for (let left = most; left > 0 && visited.size < mostVisits;) {
      const accountKey = accountAfter(reached) ?? accountAfter(0);
      if (accountKey === undefined || visited.has(accountKey)) break;
      visited.add(accountKey);
      // Its turn has begun. Those behind it keep theirs, also if the call ends with it.
      reached = accountKey;
      const rows = selectOfAccount.all(accountKey, now, Math.min(turn, left));
      left -= rows.length;
      yield* (rows as unknown as Values[]).map(readSchedule);
    }
  }

  return {
    /** Whoever asks for the next one has dealt with the last: one that is still due comes again. */
    *inFairOrder(now: Instant, limit: number): Generator<StoredSchedule, void, undefined> {
      for (let left = limit; left > 0;) {
        const most = Math.min(piece, Math.ceil(left / 2));
        isInTurn = !isInTurn;
        let chosen = 0;
        for (const due of isInTurn ? inTurn(now, most) : earliest(now, most)) {
          chosen++;
          yield due;
        }
        const isNothingDue = chosen === 0 && !isInTurn;
        if (isNothingDue) return;
        left -= chosen;
      }
    },

    /** When the next is to be looked at; null: none. */
    nextLookTime(): Instant | null {
      return selectNext.get()!["next"] as number | null;
    },
  };
}
