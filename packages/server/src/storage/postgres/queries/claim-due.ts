import type { RateLimit } from "../../../domain/rate-limit.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../../domain/rate-limit.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { Claim, ClaimedTarget, ClaimRequest, ClaimResult, Holder } from "../../store.ts";
import type { Row } from "../connections/connections.ts";
import type { WorkContext } from "./context.ts";
import {
  beforeEveryKey,
  messageColumns,
  ownColumns,
  readMessage,
  rowKeyOf,
} from "../rows/message-rows.ts";
import { isMemberAlive } from "./is-member-alive.ts";
import { readClock } from "./read-clock.ts";
import { allowanceInSql, outdatedInSql, spentInSql } from "./rate-in-sql.ts";

/** The columns of a claimed message. Rows about a target have null in them. */
const claimedColumns = ["target_id", ...ownColumns, "payload"];
const noMessage = claimedColumns.map(() => "NULL").join(", ");

/** How soon to ask again when another node or caller prevents a claim. */
const askAgainMs = 20;

/**
 * One statement, and so one snapshot of the database. The target's *claim fence* shows whether
 * others have changed something since: if the locked fence differs from the fence in the snapshot,
 * the snapshot is old. Then the statement claims nothing, and the caller asks again. This is how
 * limits hold for all nodes together.
 *
 * Each step looks up what it needs by key, row by row, and passes on what the next step needs. The
 * planner cannot know the number of rows, and would have to guess how to join them.
 */
const claimDueStatement = `
  WITH clock AS MATERIALIZED (
    SELECT now_ms() AS now
  ), seen AS MATERIALIZED (
    SELECT a.target_key, a.after_time, a.after_id, t.target_id, t.revision,
      t.paused OR o.suspension_time IS NOT NULL AS paused,
      t.rate_limit, s.full_at, clock.now,
      t.target_key IS NOT NULL AS live, s.target_key IS NOT NULL AS seen, f.in_flight,
      greatest(0, least(a.most, t.max_concurrency - f.in_flight,
        ${allowanceInSql("t.rate_limit", "s.full_at", "clock.now")})) AS room
    FROM clock CROSS JOIN unnest($1::int[], $2::int[], $4::bigint[], $5::uuid[])
      AS a(target_key, most, after_time, after_id)
    LEFT JOIN targets t ON t.target_key = a.target_key AND t.removal_time IS NULL
    LEFT JOIN accounts o ON o.account_id = t.account_id
    LEFT JOIN LATERAL (
      SELECT turn FROM target_turns l WHERE l.target_key = a.target_key
      FOR UPDATE SKIP LOCKED) AS locked ON true
    LEFT JOIN target_turns s ON s.target_key = a.target_key AND s.turn = locked.turn
      AND ${isMemberAlive("$3")}
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS in_flight FROM claims c WHERE c.target_key = s.target_key) AS f
  ), head AS MATERIALIZED (
    SELECT s.target_key, s.target_id, s.rate_limit, s.full_at, s.now, h.message_id,
      h.next_delivery_time, h.number <= s.room AS wanted
    FROM seen s CROSS JOIN LATERAL (
      SELECT message_id, next_delivery_time,
        row_number() OVER (ORDER BY next_delivery_time, message_id) AS number
      FROM (
        SELECT message_id, next_delivery_time FROM messages
        WHERE target_key = s.target_key AND next_delivery_time <= s.now
          AND (next_delivery_time, message_id) > (s.after_time, s.after_id)
        -- Messages in flight still stand at the head of the index.
        ORDER BY next_delivery_time, message_id LIMIT s.room + s.in_flight + 1) AS first
      LEFT JOIN LATERAL (
        SELECT true AS held FROM claims c
        WHERE c.target_key = s.target_key AND c.message_id = first.message_id LIMIT 1) AS c ON true
      WHERE c.held IS NULL
      ORDER BY next_delivery_time, message_id LIMIT s.room + 1) AS h
    WHERE s.seen AND NOT s.paused
  ), due AS MATERIALIZED (
    SELECT ${messageColumns("h.target_id")}, m.payload,
      h.rate_limit, h.full_at, h.now
    FROM head h
    -- The comparison of times rejects a message that was changed since the snapshot. Only the key
    -- may find the row: unlike "=", this comparison cannot use the indexes of scheduled messages.
    JOIN messages m ON m.message_id = h.message_id
      AND m.next_delivery_time IS NOT DISTINCT FROM h.next_delivery_time
    -- A message whose bound has come is about to end: see end-outrun.ts.
    WHERE h.wanted AND (m.options IS NULL OR
      coalesce((m.options::json->>'notAfter')::bigint > h.now, true))
    FOR UPDATE OF m SKIP LOCKED
  ), taken AS (
    INSERT INTO claims (target_key, message_id, epoch, round)
    SELECT target_key, message_id, $3, $6 FROM due
  ), fenced AS (
    UPDATE target_turns t SET turn = t.turn + 1,
      full_at = ${spentInSql("d.rate_limit", "d.full_at", "d.now", "d.count")}
    FROM (
      SELECT target_key, rate_limit, full_at, now, count(*) FROM due GROUP BY 1, 2, 3, 4
      UNION ALL
      -- Emptier than the current limit allows. Without this lasting correction the bucket would
      -- stay closed.
      SELECT target_key, rate_limit, full_at, now, 0 FROM seen
      WHERE ${outdatedInSql("rate_limit", "full_at", "now")}) AS d
    WHERE t.target_key = d.target_key AND t.target_key = ANY($1::int[])
  )
  SELECT 'message' AS kind, target_key, NULL::bigint AS now, NULL::boolean AS live,
    NULL::boolean AS seen, NULL::int AS revision, NULL AS rate_limit, NULL::float8 AS full_at,
    NULL::int AS room, NULL::int AS wanted, NULL::bigint AS next_due_at,
    ${claimedColumns.join(", ")}
  FROM due
  UNION ALL
  SELECT 'target', s.target_key, s.now, s.live, s.seen, s.revision, s.rate_limit, s.full_at, s.room,
    NULL, later.next_delivery_time, ${noMessage}
  FROM seen s LEFT JOIN LATERAL (
    SELECT next_delivery_time FROM messages m
    WHERE m.target_key = s.target_key AND m.next_delivery_time > s.now AND NOT s.paused
    ORDER BY m.next_delivery_time, m.message_id LIMIT 1) AS later ON true
  UNION ALL
  SELECT 'overdue', target_key, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    count(*) FILTER (WHERE wanted)::int, min(next_delivery_time) FILTER (WHERE NOT wanted),
    ${noMessage}
  FROM head GROUP BY target_key`;

export function claimDue({ connections, held, backlogs, gate }: WorkContext) {
  return (holder: Holder, requests: readonly ClaimRequest[]): Promise<ClaimResult> =>
    gate.pass(() => claim(holder, requests));

  async function claim(holder: Holder, requests: readonly ClaimRequest[]): Promise<ClaimResult> {
    if (requests.length === 0)
      return { now: await readClock(connections.query), claims: [], targets: [] };
    const positions = requests.map(({ targetKey }) => backlogs.of(targetKey));
    const generation = held.generationOf(holder);
    const rows = await connections.query({
      name: "claim-due",
      text: claimDueStatement,
      values: [
        requests.map(({ targetKey }) => targetKey),
        requests.map(({ limit }) => limit),
        holder.epoch,
        positions.map((position) => position?.time ?? Number.MIN_SAFE_INTEGER),
        positions.map((position) => (position && rowKeyOf(position.messageId)) ?? beforeEveryKey),
        generation,
      ],
    });
    const byTarget = new Map<number, TargetRows>();
    for (const row of rows) {
      const targetKey = row["target_key"] as number;
      const of = byTarget.get(targetKey) ?? { claims: [] };
      byTarget.set(targetKey, of);
      if (row["kind"] === "target") of.target = row;
      else if (row["kind"] === "overdue") of.overdue = row;
      else {
        const message = readMessage(row);
        held.keep(holder, { targetKey, message });
        of.claims.push(claimOf(message, targetKey, row["payload"] as Buffer));
      }
    }
    const now = byTarget.get(requests[0]!.targetKey)!.target!["now"] as number;
    const targets = requests.map(({ targetKey, limit }, index): ClaimedTarget => {
      const of = byTarget.get(targetKey)!;
      of.claims.sort(byTime);
      const last = of.claims.at(-1);
      const ranOut = of.target!["seen"] && of.claims.length < of.target!["room"];
      if (ranOut && positions[index] !== undefined) {
        // The end of the backlog: the next claim starts at its beginning again.
        backlogs.forget(targetKey);
        return { targetKey, revision: of.target!["revision"], nextDueAt: now, closedMs: 0 };
      }
      if (of.overdue?.["next_due_at"] != null && last !== undefined) backlogs.moveTo(last);
      return claimedTarget(targetKey, limit, of);
    });
    return { now, targets, claims: [...byTarget.values()].flatMap(({ claims }) => claims) };
  }
}

/** The rows of the statement about one target. */
interface TargetRows {
  target?: Row;
  overdue?: Row;
  readonly claims: Claim[];
}

function byTime(a: Claim, b: Claim): number {
  return a.dueAt - b.dueAt || (a.messageId < b.messageId ? -1 : 1);
}

function claimOf(message: TrackedMessage, targetKey: number, payload: Buffer): Claim {
  return {
    messageId: message.messageId,
    targetKey,
    version: message.version,
    dueAt: message.nextDeliveryTime!,
    planningTime: message.planningTime,
    originalDeliveryTime: message.originalDeliveryTime,
    attemptNumber: message.attemptCount + 1,
    attemptsThisRound: message.attemptsThisRound,
    payload: payload.toString("utf8"),
    options: message.options,
  };
}

function claimedTarget(
  targetKey: number,
  asked: number,
  { target, overdue, claims }: TargetRows,
): ClaimedTarget {
  const { now, live, seen, revision, room, next_due_at: nextLater } = target!;
  const claimed = claims.length;
  // Not live: the target was removed, so nothing will be due. Not seen: another node is claiming
  // for it, or has just done so.
  if (!live) return { targetKey, revision: 0, nextDueAt: null, closedMs: 0 };
  if (!seen) return { targetKey, revision: 0, nextDueAt: now, closedMs: askAgainMs };
  // Somebody is changing or ending a due message. The result will be there soon.
  if ((overdue?.["wanted"] ?? 0) > claimed) {
    return { targetKey, revision, nextDueAt: now, closedMs: askAgainMs };
  }
  const dueAt = (overdue?.["next_due_at"] ?? nextLater) as number | null;
  // A limit matters only when it is reached. With room to spare it does not delay the next message.
  const isHeldUp = dueAt !== null && dueAt <= now && room < asked && claimed >= room;
  const closedMs = isHeldUp ? (rateClosedMs(target!, claimed) ?? askAgainMs) : 0;
  return { targetKey, revision, nextDueAt: dueAt, closedMs };
}

/** Null if the rate is not the limit that was reached. */
function rateClosedMs(row: Row, claimed: number): number | null {
  if (row["rate_limit"] === null) return null;
  const limit = JSON.parse(row["rate_limit"]) as RateLimit;
  const now = row["now"] as number;
  const fullAt = spendRate(limit, row["full_at"] as number, now, claimed);
  return rateAllowance(limit, fullAt, now) > 0 ? null : rateOpensAt(limit, fullAt, now) - now;
}
