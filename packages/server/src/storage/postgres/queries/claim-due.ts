import type { RateLimit } from "../../../domain/rate-limit.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../../domain/rate-limit.ts";
import type {
  Claim,
  ClaimedTarget,
  ClaimRequest,
  ClaimResult,
  Holder,
  Upcoming,
} from "../../store.ts";
import type { Query, Row } from "../connections.ts";
import type { Context } from "../context.ts";
import { messageIdOf } from "../message-rows.ts";

type Run = (query: Query) => Promise<Row[]>;

/** When a target is at a limit because of another node, it is worth asking again after this. */
const askAgainMs = 20;

export function upcoming({ connections }: Context) {
  return async (until: number | null): Promise<Upcoming[]> => {
    const rows = await connections.query({
      name: "upcoming",
      text: `SELECT m.target_key, min(m.next_delivery_time) AS due_at
        FROM messages m JOIN targets t USING (target_key)
        WHERE m.next_delivery_time <= $1 AND NOT t.paused
          AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.message_id = m.message_id)
        GROUP BY m.target_key`,
      values: [until ?? Number.MAX_SAFE_INTEGER],
    });
    return rows.map((row) => ({
      targetKey: row["target_key"] as number,
      dueAt: row["due_at"] as number,
    }));
  };
}

interface LockedTarget {
  readonly targetKey: number;
  readonly revision: number;
  readonly paused: boolean;
  readonly rateLimit: RateLimit | null;
  readonly fullAt: number;
  readonly inFlight: number;
  readonly room: number;
  /** The limits of the whole cluster leave less than was asked for. */
  readonly opensAt: number | null;
}

export function claimDue({ connections }: Context) {
  return (holder: Holder, requests: readonly ClaimRequest[]): Promise<ClaimResult> =>
    connections.transaction(async (run) => {
      const { now, locked, busy } = await lockTargets(run, holder, requests);
      const { claims, next } = await takeClaims(run, holder, locked, now);
      const counts = new Map<number, number>();
      for (const { targetKey } of claims) counts.set(targetKey, (counts.get(targetKey) ?? 0) + 1);
      await spendRates(run, locked, counts, now);
      const targets = locked.map((target): ClaimedTarget => {
        const dueAt = next.get(target.targetKey) ?? null;
        const count = counts.get(target.targetKey) ?? 0;
        // A limit matters only where it was reached: with room to spare the next one is not held up.
        const held = dueAt !== null && target.opensAt !== null && count === target.room;
        return {
          targetKey: target.targetKey,
          revision: target.revision,
          nextDueAt: held ? Math.max(dueAt, target.opensAt) : dueAt,
        };
      });
      for (const targetKey of busy) {
        targets.push({ targetKey, revision: 0, nextDueAt: now + askAgainMs });
      }
      return { now, claims, targets };
    });
}

/** One node at a time claims for a target, so that its limits hold for all of them together. */
async function lockTargets(run: Run, holder: Holder, requests: readonly ClaimRequest[]) {
  const rows = await run({
    name: "lock-targets",
    text: `
      WITH life AS (SELECT 1 FROM nodes WHERE epoch = $2 AND lease_until > now_ms()),
      locked AS MATERIALIZED (
        SELECT target_key, revision, paused, max_concurrency, rate_limit FROM targets
        WHERE target_key = ANY($1::int[]) AND removal_time IS NULL
        ORDER BY target_key FOR NO KEY UPDATE SKIP LOCKED)
      SELECT l.*, r.full_at, now_ms() AS now, EXISTS (SELECT 1 FROM life) AS alive,
        (SELECT count(*) FROM claims c WHERE c.target_key = l.target_key)::int AS in_flight
      FROM locked l LEFT JOIN target_rates r USING (target_key)`,
    values: [requests.map(({ targetKey }) => targetKey), holder.epoch],
  });
  const [clock] =
    rows.length > 0 ? rows : await run({ name: "read-clock", text: "SELECT now_ms() AS now" });
  const now = clock!["now"] as number;
  const limitOf = new Map(requests.map(({ targetKey, limit }) => [targetKey, limit]));
  const locked = rows.map((row): LockedTarget => {
    const rateLimit =
      row["rate_limit"] === null ? null : (JSON.parse(row["rate_limit"]) as RateLimit);
    const fullAt = (row["full_at"] as number | null) ?? 0;
    const asked = row["paused"] || !row["alive"] ? 0 : limitOf.get(row["target_key"])!;
    const free = Math.max(0, row["max_concurrency"] - row["in_flight"]);
    const allowed = rateLimit === null ? Infinity : rateAllowance(rateLimit, fullAt, now);
    const room = Math.min(asked, free, allowed);
    const opensAt =
      allowed < asked && rateLimit !== null
        ? rateOpensAt(rateLimit, fullAt, now)
        : now + askAgainMs;
    return {
      targetKey: row["target_key"],
      revision: row["revision"],
      paused: row["paused"],
      rateLimit,
      fullAt,
      inFlight: row["in_flight"],
      room,
      opensAt: room < asked ? opensAt : null,
    };
  });
  const order = new Map(requests.map(({ targetKey }, index) => [targetKey, index]));
  locked.sort((a, b) => order.get(a.targetKey)! - order.get(b.targetKey)!);
  const seen = new Set(locked.map(({ targetKey }) => targetKey));
  const busy = requests.map(({ targetKey }) => targetKey).filter((key) => !seen.has(key));
  return { now, locked, busy };
}

async function takeClaims(
  run: Run,
  holder: Holder,
  locked: readonly LockedTarget[],
  now: number,
): Promise<{ claims: Claim[]; next: Map<number, number> }> {
  const awake = locked.filter(({ paused }) => !paused);
  if (awake.length === 0) return { claims: [], next: new Map() };
  const rows = await run({
    name: "claim-due",
    text: `
      WITH waiting AS MATERIALIZED (
        SELECT m.message_id, m.target_key, m.version, m.next_delivery_time, m.planning_time,
          m.original_delivery_time, m.attempt_count, m.attempts_this_round, m.payload, w.room
        FROM unnest($1::int[], $2::int[], $3::int[]) AS w(target_key, room, reach)
        CROSS JOIN LATERAL (
          SELECT message_id, next_delivery_time FROM (
            SELECT message_id, next_delivery_time FROM messages
            WHERE target_key = w.target_key AND next_delivery_time IS NOT NULL
            ORDER BY next_delivery_time, message_id LIMIT w.reach) AS head
          WHERE NOT EXISTS (SELECT 1 FROM claims c WHERE c.message_id = head.message_id)
          ORDER BY next_delivery_time, message_id LIMIT w.room + 1) AS head
        JOIN messages m ON m.message_id = head.message_id
          AND m.next_delivery_time = head.next_delivery_time
        FOR UPDATE OF m SKIP LOCKED
      ), due AS (
        SELECT *, next_delivery_time <= $4 AND room >= row_number() OVER (
          PARTITION BY target_key ORDER BY next_delivery_time, message_id) AS claimable
        FROM waiting
      ), taken AS (
        INSERT INTO claims (message_id, target_key, epoch)
        SELECT message_id, target_key, $5 FROM due WHERE claimable
        ON CONFLICT DO NOTHING RETURNING message_id)
      SELECT due.*, taken.message_id IS NOT NULL AS taken
      FROM due LEFT JOIN taken USING (message_id)
      ORDER BY due.target_key, due.next_delivery_time, due.message_id`,
    values: [
      awake.map(({ targetKey }) => targetKey),
      awake.map(({ room }) => room),
      // What is in flight still stands at the head of the index: the scan goes as far beyond it as it
      // must, whatever the planner thinks of the tables' sizes.
      awake.map(({ room, inFlight }) => room + inFlight + 1),
      now,
      holder.epoch,
    ],
  });
  const next = new Map<number, number>();
  for (const row of rows) {
    if (!row["taken"] && !next.has(row["target_key"])) {
      next.set(row["target_key"], row["next_delivery_time"]);
    }
  }
  return { claims: rows.filter((row) => row["taken"]).map(readClaim), next };
}

async function spendRates(
  run: Run,
  locked: readonly LockedTarget[],
  counts: ReadonlyMap<number, number>,
  now: number,
): Promise<void> {
  const spent = locked.flatMap(({ targetKey, rateLimit, fullAt }) => {
    const count = counts.get(targetKey) ?? 0;
    // Also when nothing was claimed, if what is on record comes from a slower limit than today's.
    const outdated = rateLimit !== null && fullAt > now + rateLimit.intervalMs;
    if (rateLimit === null || (count === 0 && !outdated)) return [];
    return [{ targetKey, fullAt: spendRate(rateLimit, fullAt, now, count) }];
  });
  if (spent.length === 0) return;
  await run({
    name: "spend-rates",
    text: `INSERT INTO target_rates (target_key, full_at)
      SELECT * FROM unnest($1::int[], $2::double precision[])
      ON CONFLICT (target_key) DO UPDATE SET full_at = excluded.full_at`,
    values: [spent.map(({ targetKey }) => targetKey), spent.map((each) => each.fullAt)],
  });
}

function readClaim(row: Row): Claim {
  return {
    messageId: messageIdOf(row["message_id"]),
    targetKey: row["target_key"],
    version: row["version"],
    dueAt: row["next_delivery_time"],
    planningTime: row["planning_time"],
    originalDeliveryTime: row["original_delivery_time"],
    attemptNumber: row["attempt_count"] + 1,
    attemptsThisRound: row["attempts_this_round"],
    payload: (row["payload"] as Buffer).toString("utf8"),
  };
}
