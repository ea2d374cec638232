import { countKept } from "../quotas/count-kept.ts";
import type { Instant } from "../../../domain/instant.ts";
import { dueTime, labelTexts } from "../../../domain/message-options.ts";
import { monthAround, monthOf } from "../../../domain/usage.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Run } from "../connections/connections.ts";
import { arrayLiteral, textArrayLiteral } from "../rows/array-literal.ts";
import { delayGiven, instantGiven, keptAs } from "../rows/message-candidate.ts";
import type { MessageCandidate } from "../rows/message-candidate.ts";
import { insertMessages, optionsText } from "../rows/message-rows.ts";
import { areNewTold, tellNewMessages } from "../rows/outbox-rows.ts";
import { packTexts } from "../rows/packed-texts.ts";
import { byTarget } from "./by-target.ts";
import { isUndecided } from "./undecided.ts";

const message = {
  messageId: "message_id",
  targetKey: "target_key",
  schedulingTime: "clock.now",
  deliveryTime: "coalesce(delivery_time, clock.now + delay_ms)",
  rest: {
    dueTime: "coalesce(due_time, delivery_time, clock.now + delay_ms)",
    options: "convert_from(substr($18::bytea, options_start, options_length), 'UTF8')",
  },
};

/**
 * One statement takes the keys that are free, and stores the messages that have got theirs and those that want
 * none, with their labels. It takes its locks in the order of the longer ways: targets against removal, keys,
 * shares. If an account finds no share for its messages, or the month has changed, it raises `undecided`.
 *
 * Targets are looked up by their index and not joined: the planner does not know how many rows there will be.
 */
const statement = `
  WITH clock AS MATERIALIZED (
    SELECT now_ms() AS now
  ), live AS MATERIALIZED (
    SELECT array_agg(t.target_key ORDER BY u.index) AS keys,
      array_agg(e.event_mask ORDER BY u.index) AS event_masks, bit_or(e.event_mask) AS event_mask
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u(account_id, target_id, index)
    LEFT JOIN LATERAL (
      SELECT target_key FROM targets t
      WHERE t.account_id = u.account_id AND t.target_id = u.target_id AND t.removal_time IS NULL
      LIMIT 1 FOR KEY SHARE) AS t ON true
    LEFT JOIN target_events e ON e.target_key = t.target_key
  ), wanted AS MATERIALIZED (
    SELECT i.*, ($1::text[])[i.target_index] AS account_id, live.keys[i.target_index] AS target_key,
      live.event_masks[i.target_index] AS event_mask
    FROM unnest($3::uuid[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::int[], $9::int[],
      $10::int[], $11::int[], $12::text[], $13::text[])
      AS i(message_id, target_index, delivery_time, delay_ms, due_time, payload_start, payload_length,
        options_start, options_length, key, labels)
    CROSS JOIN live
    WHERE live.keys[i.target_index] IS NOT NULL
  ), taken AS (
    INSERT INTO message_keys (target_key, key, message_id)
    SELECT target_key, key, message_id FROM wanted WHERE key IS NOT NULL
    -- In one order, so that two batches with the same keys cannot wait for each other.
    ORDER BY target_key, key COLLATE "C"
    ON CONFLICT (target_key, key) DO NOTHING
    RETURNING message_id
  ), kept AS MATERIALIZED (
    SELECT * FROM wanted WHERE key IS NULL OR message_id IN (SELECT message_id FROM taken)
  ), ${countKept({ month: "$14", from: "$15", until: "$16" })}, labelled AS (
    INSERT INTO message_labels (account_id, label, message_id)
    SELECT k.account_id, l.label, k.message_id
    FROM kept k CROSS JOIN LATERAL string_to_table(k.labels, chr(31)) AS l(label)
  ), made AS (
    ${insertMessages({
      ...message,
      accountId: "account_id",
      payload: "substr($17::bytea, payload_start, payload_length)",
    })} FROM kept CROSS JOIN clock
  ), told AS (
    ${tellNewMessages(
      message,
      `kept CROSS JOIN clock
        WHERE ${areNewTold("(SELECT event_mask FROM live)")} AND ${areNewTold("event_mask")}`,
    )}
  )
  SELECT message_id, target_key, clock.now AS scheduling_time FROM kept CROSS JOIN clock
  UNION ALL
  SELECT raise_undecided(), NULL, NULL FROM share WHERE share IS NULL`;

/** No label has it: it is a control character. */
const betweenLabels = "\u001f";

/** Whether the statement can decide about it. What a bound means for a message depends on the time. */
export function fitsOneStatement({ idempotency, options, deliveryTime }: ScheduleRequest): boolean {
  if (idempotency !== null) return false;
  if (options === null) return true;
  if (options.notAfter !== undefined || options.notAfterMs !== undefined) return false;
  return options.flexWindowMs === undefined || typeof deliveryTime === "number";
}

/**
 * For messages that fit, and of which no two want the same key. Undefined: undecided, and nothing has happened.
 * A candidate with a key is missing in the answer if its key is not free, or if it has no target.
 */
export async function scheduleWithOptions(
  run: Run,
  candidates: readonly MessageCandidate[],
  around: Instant,
): Promise<Map<MessageCandidate, ScheduleResult> | undefined> {
  const { targets, indexes } = byTarget(candidates);
  const month = monthAround(around);
  const payloads = packTexts(candidates.map(({ request }) => request.payload));
  const options = packTexts(candidates.map(({ request }) => optionsText(request.options)));
  const values = [
    targets.map(({ accountId }) => accountId),
    targets.map(({ targetId }) => targetId),
    arrayLiteral(candidates.map(({ uuid }) => uuid)),
    arrayLiteral(indexes),
    arrayLiteral(candidates.map(instantGiven)),
    unlessNull(candidates.map(delayGiven), arrayLiteral),
    unlessNull(candidates.map(ownDueTime), arrayLiteral),
    arrayLiteral(payloads.starts),
    arrayLiteral(payloads.lengths),
    arrayLiteral(options.starts),
    arrayLiteral(options.lengths),
    unlessNull(candidates.map(keyGiven), textArrayLiteral),
    unlessNull(candidates.map(labelsGiven), textArrayLiteral),
    monthOf(around),
    month.start,
    month.end,
    payloads.bytes,
    options.bytes,
  ];
  let rows;
  try {
    rows = await run({ name: "schedule-with-options", text: statement, values });
  } catch (error) {
    if (isUndecided(error)) return undefined;
    throw error;
  }
  const made = new Map(rows.map((row) => [row["message_id"] as string, row]));
  const results = new Map<MessageCandidate, ScheduleResult>();
  for (const candidate of candidates) {
    const row = made.get(candidate.uuid);
    const isKeyed = candidate.request.wantedKey !== undefined;
    if (row !== undefined) {
      const kept = keptAs(candidate, row["target_key"], row["scheduling_time"]);
      results.set(candidate, isKeyed ? { ...kept, keyOutcome: "created" } : kept);
    } else if (!isKeyed) results.set(candidate, { kind: "no-target" });
  }
  return results;
}

/** If all values are null the array is empty, and `unnest` fills it up. */
function unlessNull<Value>(
  values: readonly (Value | null)[],
  write: (values: readonly (Value | null)[]) => string,
): string {
  return values.every((value) => value === null) ? "{}" : write(values);
}

/** Null: it is due at its delivery time. */
function ownDueTime({ request, messageId }: MessageCandidate): Instant | null {
  const { options, deliveryTime } = request;
  if (options?.flexWindowMs === undefined) return null;
  return dueTime(messageId, options, deliveryTime as Instant);
}

function keyGiven({ request }: MessageCandidate): string | null {
  return request.wantedKey?.key ?? null;
}

function labelsGiven({ request }: MessageCandidate): string | null {
  const labels = labelTexts(request.options);
  return labels.length === 0 ? null : labels.join(betweenLabels);
}
