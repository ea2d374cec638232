import type { RateLimit } from "../../../domain/rate-limit.ts";
import { spendRate } from "../../../domain/rate-limit.ts";
import { requestTaken } from "../../request-taken.ts";
import type { RequestTake, RequestTaken } from "../../store.ts";
import type { Row } from "../connections/connections.ts";
import type { WorkContext } from "./context.ts";
import { gather } from "../batches/gather.ts";
import { allowanceInSql, outdatedInSql, spentInSql } from "./rate-in-sql.ts";

/**
 * A call that waited for a lock still uses the time from before the wait. Up to this much beyond
 * empty counts as empty.
 */
const waitedAtMostMs = 1_000;

/** Whether there is something to write: an allowed request, or a bucket to correct. */
function opens(limit: string, fullAt: string, now: string): string {
  const outdated = outdatedInSql(limit, fullAt, `${now} + ${waitedAtMostMs}`);
  return `(${allowanceInSql(limit, fullAt, now)} > 0 OR ${outdated})`;
}

/**
 * One statement for all gathered requests. A bucket that looks empty refuses without a lock, unless
 * it is emptier than the limit allows and needs a lasting correction. Any other bucket is locked
 * and read again. If it was emptied meanwhile, or another node creates it at this moment, it stays
 * undecided and this process asks again. Locks are taken in the order of the ids, so that no two
 * nodes wait for each other in a circle.
 */
const takeStatement = `
  WITH clock AS MATERIALIZED (
    SELECT now_ms() AS now
  ), bucket AS MATERIALIZED (
    SELECT g.account_id, g.rate, g.count, clock.now, seen.full_at AS seen, locked.full_at AS locked,
      coalesce(${opens("g.rate", "seen.full_at", "clock.now")}, true) AS seen_open
    FROM clock CROSS JOIN unnest($1::text[], $2::text[], $3::int[]) AS g(account_id, rate, count)
    LEFT JOIN request_buckets seen ON seen.account_id = g.account_id
    LEFT JOIN LATERAL (
      SELECT b.full_at FROM request_buckets b
      WHERE b.account_id = g.account_id
        AND ${opens("g.rate", "b.full_at", "clock.now")}
      FOR UPDATE) AS locked ON true
  ), decided AS MATERIALIZED (
    SELECT account_id, rate, now, seen, seen_open, coalesce(locked, seen, 0) AS full_at,
      locked IS NOT NULL AS locked,
      CASE WHEN seen IS NULL OR locked IS NOT NULL THEN
        least(count, ${allowanceInSql("rate", "coalesce(locked, 0)", "now")}) ELSE 0 END AS taken
    FROM bucket
  ), spent AS (
    UPDATE request_buckets b SET full_at = ${spentInSql("d.rate", "d.full_at", "d.now", "d.taken")}
    FROM decided d WHERE b.account_id = d.account_id AND d.locked
  ), made AS (
    INSERT INTO request_buckets (account_id, full_at)
    SELECT account_id, ${spentInSql("rate", "0", "now", "taken")} FROM decided WHERE seen IS NULL
    ON CONFLICT DO NOTHING RETURNING account_id
  )
  SELECT d.account_id, d.now, d.full_at, d.taken,
    d.locked OR NOT d.seen_open OR m.account_id IS NOT NULL AS decided
  FROM decided d LEFT JOIN made m ON m.account_id = d.account_id`;

export function takeRequests({ connections }: WorkContext) {
  return gather(takeTogether, {
    mostWeight: 1_000,
    mostUnderWay: 2,
    onBatch: () => {},
    apart: ({ accountId }) => accountId,
  });

  async function takeTogether(takes: readonly RequestTake[]): Promise<RequestTaken[]> {
    const lines = linesOf(takes);
    const open = new Map(lines);
    const rows = new Map<string, Row>();
    while (open.size > 0) {
      const asked = [...open];
      const found = await connections.query({
        name: "take-requests",
        text: takeStatement,
        values: [
          asked.map(([accountId]) => accountId),
          asked.map(([, { limit }]) => JSON.stringify(limit)),
          asked.map(([, { indexes }]) => indexes.length),
        ],
      });
      for (const row of found.filter(({ decided }) => decided === true)) {
        rows.set(row["account_id"], row);
        open.delete(row["account_id"]);
      }
    }
    const answers: RequestTaken[] = [];
    for (const [accountId, { limit, indexes }] of lines) {
      const { full_at: before, now, taken } = rows.get(accountId)!;
      for (const [earlier, index] of indexes.entries()) {
        const fullAt = spendRate(limit, before, now, Math.min(earlier + 1, taken));
        answers[index] = requestTaken(earlier < taken, limit, fullAt, now);
      }
    }
    return answers;
  }
}

interface Line {
  /** The most recent limit given: a call with an older one has not heard of the change yet. */
  limit: RateLimit;
  /** The indexes of the account's requests among all gathered ones. */
  readonly indexes: number[];
}

/** Groups requests by account, sorted by id. Requests of one account count one after the other. */
function linesOf(takes: readonly RequestTake[]): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (const [index, { accountId, limit }] of takes.entries()) {
    const line = lines.get(accountId) ?? { limit, indexes: [] };
    line.limit = limit;
    line.indexes.push(index);
    lines.set(accountId, line);
  }
  return new Map([...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
