import { countKept } from "../quotas/count-kept.ts";
import { monthAround, monthOf } from "../../../domain/usage.ts";
import type { Instant } from "../../../domain/instant.ts";
import type { ScheduleResult } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import { arrayLiteral } from "../rows/array-literal.ts";
import { delayGiven, instantGiven, keptAs } from "../rows/message-candidate.ts";
import type { MessageCandidate } from "../rows/message-candidate.ts";
import { insertMessages } from "../rows/message-rows.ts";
import { areNewTold, tellNewMessages } from "../rows/outbox-rows.ts";
import { packTexts } from "../rows/packed-texts.ts";
import { byTarget } from "./by-target.ts";
import { firstAnswers, keyOf } from "./idempotency-keys.ts";
import { isUndecided } from "./undecided.ts";

const message = {
  messageId: "message_id",
  targetKey: "target_key",
  schedulingTime: "now",
  deliveryTime: "due",
};

/**
 * One statement takes the idempotency keys and stores the messages that have got theirs. It takes its locks in
 * the order of the longer ways: targets against removal, keys, shares. If an account finds no share for its
 * messages, or the month has changed, it raises `undecided` and so has done nothing.
 */
const statement = `
  WITH clock AS MATERIALIZED (
    SELECT now_ms() AS now
  ), live AS MATERIALIZED (
    SELECT u.index, t.target_key, t.account_id, t.target_id, e.event_mask
    FROM unnest($5::text[], $6::text[]) WITH ORDINALITY AS u(account_id, target_id, index)
    CROSS JOIN LATERAL (
      SELECT target_key, account_id, target_id FROM targets t
      WHERE t.account_id = u.account_id AND t.target_id = u.target_id AND t.removal_time IS NULL
      LIMIT 1 FOR KEY SHARE) AS t
    LEFT JOIN target_events e ON e.target_key = t.target_key
  ), wanted AS MATERIALIZED (
    SELECT i.*, l.target_key, l.account_id, l.target_id, l.event_mask, clock.now,
      coalesce(i.delivery_time, clock.now + i.delay_ms) AS due
    FROM unnest($1::uuid[], $2::int[], $3::bigint[], $11::int[], $12::int[], $13::bigint[],
      $14::text[], $15::text[]) WITH ORDINALITY
      AS i(message_id, target_index, delivery_time, payload_start, payload_length, delay_ms, key,
        fingerprint, position)
    JOIN live l ON l.index = i.target_index
    CROSS JOIN clock
  ), taken AS (
    INSERT INTO idempotency_keys AS k (account_id, key, fingerprint, message_id, target_id,
      scheduling_time, original_delivery_time, expiration_time)
    SELECT account_id, key, fingerprint, message_id, target_id, now, due, now + $10::bigint
    FROM wanted WHERE key IS NOT NULL
    -- In the order of the keys, so that two batches with the same keys cannot wait for each other.
    ORDER BY position
    ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
      message_id = excluded.message_id, target_id = excluded.target_id,
      scheduling_time = excluded.scheduling_time,
      original_delivery_time = excluded.original_delivery_time,
      expiration_time = excluded.expiration_time, answer = NULL
    WHERE k.expiration_time <= excluded.scheduling_time
    RETURNING message_id
  ), kept AS MATERIALIZED (
    SELECT * FROM wanted WHERE key IS NULL OR message_id IN (SELECT message_id FROM taken)
  ), ${countKept({ month: "$7", from: "$8", until: "$9" })}, made AS (
    ${insertMessages({
      ...message,
      accountId: "account_id",
      payload: "substr($4::bytea, payload_start, payload_length)",
    })} FROM kept
  ), told AS (
    ${tellNewMessages(
      message,
      `kept WHERE ${areNewTold("(SELECT bit_or(event_mask) FROM live)")}
        AND ${areNewTold("event_mask")}`,
    )}
  )
  SELECT message_id, target_key, now AS scheduling_time, NULL AS target_index FROM kept
  UNION ALL
  SELECT NULL, NULL, NULL, index FROM live
  UNION ALL
  SELECT raise_undecided(), NULL, NULL, NULL FROM share WHERE share IS NULL`;

export interface KeyedTime {
  /** What this process takes for the time of the database. */
  readonly around: Instant;
  readonly retentionMs: number;
}

/**
 * For messages without options. Undefined: undecided, and nothing has happened. A candidate that is missing in the
 * answer is undecided too: the one before it with the same key was refused, or the key was freed meanwhile.
 */
export async function scheduleWithIdempotency(
  run: Run,
  candidates: readonly MessageCandidate[],
  { around, retentionMs }: KeyedTime,
): Promise<Map<MessageCandidate, ScheduleResult> | undefined> {
  const { first, repeats } = firstOfEachKey(candidates);
  const { targets, indexes } = byTarget(first);
  const month = monthAround(around);
  const payloads = packTexts(first.map(({ request }) => request.payload));
  const values = [
    arrayLiteral(first.map(({ uuid }) => uuid)),
    arrayLiteral(indexes),
    arrayLiteral(first.map(instantGiven)),
    payloads.bytes,
    targets.map(({ accountId }) => accountId),
    targets.map(({ targetId }) => targetId),
    monthOf(around),
    month.start,
    month.end,
    retentionMs,
    arrayLiteral(payloads.starts),
    arrayLiteral(payloads.lengths),
    arrayLiteral(first.map(delayGiven)),
    first.map(({ request }) => request.idempotency?.key ?? null),
    first.map(({ request }) => request.idempotency?.fingerprint ?? null),
  ];
  let rows;
  try {
    rows = await run({ name: "schedule-with-idempotency", text: statement, values });
  } catch (error) {
    if (isUndecided(error)) return undefined;
    throw error;
  }
  const results = new Map<MessageCandidate, ScheduleResult>();
  const made = new Map(rows.map((row) => [row["message_id"] as string | null, row]));
  const live = new Set(rows.map((row) => row["target_index"] as number | null));
  const withoutTarget: MessageCandidate[] = [];
  for (const [position, candidate] of first.entries()) {
    const row = made.get(candidate.uuid);
    if (row !== undefined) {
      results.set(candidate, keptAs(candidate, row["target_key"], row["scheduling_time"]));
    } else if (live.has(indexes[position]!)) repeats.push(candidate);
    else withoutTarget.push(candidate);
  }
  // A key that was used before is found before the missing target.
  const keyed = withoutTarget.filter((each) => keyOf(each) !== undefined);
  const answers = [await firstAnswers(run, repeats), await firstAnswers(run, keyed, around)];
  for (const [candidate, result] of answers.flatMap((each) => [...each])) {
    results.set(candidate, result);
  }
  for (const candidate of withoutTarget) {
    if (!results.has(candidate)) results.set(candidate, { kind: "no-target" });
  }
  return results;
}

/** In the order of their keys. A later request with the same key repeats the first. */
function firstOfEachKey(candidates: readonly MessageCandidate[]): {
  readonly first: MessageCandidate[];
  readonly repeats: MessageCandidate[];
} {
  const keyed = new Map<string, MessageCandidate>();
  const first: MessageCandidate[] = [];
  const repeats: MessageCandidate[] = [];
  for (const candidate of candidates) {
    const key = keyOf(candidate);
    if (key === undefined) first.push(candidate);
    else if (keyed.has(key)) repeats.push(candidate);
    else keyed.set(key, candidate);
  }
  const ordered = [...keyed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { first: [...first, ...ordered.map(([, candidate]) => candidate)], repeats };
}
