import type { Instant } from "../../../../domain/instant.ts";
import type { Row, Run } from "../../connections/connections.ts";

export interface DueSchedules {
  /** In the order in which accounts have their turns. */
  readonly found: readonly FoundSchedule[];
  /** Whether more are due than the limit allows. */
  readonly isMore: boolean;
}

export interface FoundSchedule {
  readonly key: number;
  readonly accountId: string;
}

/** How many accounts a look visits, whether or not something of them is due. */
const mostVisited = 200;

const earliestStatement = {
  name: "find-due-schedules",
  text: `SELECT schedule_key, account_id FROM schedule_states WHERE look_time <= $1
    ORDER BY look_time, schedule_key LIMIT $2`,
};

/** Goes from account to account, by the head of each, and shares the limit among those that have something due. */
const byAccountStatement = {
  name: "find-due-schedules-by-account",
  text: `
    WITH RECURSIVE visited AS (
      (SELECT account_id, look_time, 1 AS number FROM schedule_states
        WHERE account_id > $1 AND look_time IS NOT NULL ORDER BY account_id, look_time LIMIT 1)
      UNION ALL
      SELECT next.account_id, next.look_time, v.number + 1 FROM visited v
      CROSS JOIN LATERAL (
        SELECT account_id, look_time FROM schedule_states h
        WHERE h.account_id > v.account_id AND h.look_time IS NOT NULL
        ORDER BY h.account_id, h.look_time LIMIT 1) AS next
      WHERE v.number < $3
    ), waiting AS MATERIALIZED (
      SELECT account_id FROM visited WHERE look_time <= $2
    )
    SELECT w.account_id, due.schedule_key FROM waiting w CROSS JOIN LATERAL (
      SELECT schedule_key FROM schedule_states h
      WHERE h.account_id = w.account_id AND h.look_time <= $2
      ORDER BY h.account_id, h.look_time, h.schedule_key
      LIMIT (SELECT greatest(1, $4::int / greatest(1, count(*)::int)) FROM waiting)) AS due
    UNION ALL
    SELECT account_id, NULL FROM visited WHERE number = $3`,
};

/**
 * Finds schedules whose look time has come. If there are more than the limit, the earliest of all get half of it. The
 * other half goes from account to account, from where the last look ended: an account with a flood of schedules
 * delays mostly its own.
 */
export function dueSchedules() {
  let lastAccount = "";

  return async (run: Run, now: Instant, limit: number): Promise<DueSchedules> => {
    const rows = await run({ ...earliestStatement, values: [now, limit + 1] });
    const earliest = rows.map(readFound);
    if (earliest.length <= limit) return { found: inTurns(earliest), isMore: false };
    const half = Math.floor(limit / 2);
    const byAccount = await takeTurns(run, now, half);
    const first = earliest.slice(0, limit - half);
    const byKey = new Map([...first, ...byAccount, ...earliest].map((each) => [each.key, each]));
    return { found: inTurns([...byKey.values()].slice(0, limit)), isMore: true };
  };

  async function takeTurns(run: Run, now: Instant, limit: number): Promise<FoundSchedule[]> {
    if (limit === 0) return [];
    const visits = Math.min(mostVisited, limit);
    const rows = await run({ ...byAccountStatement, values: [lastAccount, now, visits, limit] });
    // Without one the look has come to the last account, and the next begins at the first.
    lastAccount = rows.find((row) => row["schedule_key"] === null)?.["account_id"] ?? "";
    return rows.filter((row) => row["schedule_key"] !== null).map(readFound);
  }
}

/**
 * One of each account, then a second one of each, and so on: what is too much for one commit is left of those that
 * have many.
 */
function inTurns(found: readonly FoundSchedule[]): FoundSchedule[] {
  const turns = new Map<string, number>();
  const withTurns = found.map((each) => {
    const turn = turns.get(each.accountId) ?? 0;
    turns.set(each.accountId, turn + 1);
    return { each, turn };
  });
  return withTurns.toSorted((one, other) => one.turn - other.turn).map(({ each }) => each);
}

function readFound(row: Row): FoundSchedule {
  return { key: row["schedule_key"], accountId: row["account_id"] };
}
