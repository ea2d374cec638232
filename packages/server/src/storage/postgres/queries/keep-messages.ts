import { monthAround, monthOf } from "../../../domain/usage.ts";
import type { Query, Run } from "../connections/connections.ts";
import { arrayLiteral, textArrayLiteral } from "../rows/array-literal.ts";
import { delayGiven, instantGiven, keptAs, messageOf } from "../rows/message-candidate.ts";
import type { DecidedMessage, MessageCandidate } from "../rows/message-candidate.ts";
import { insertMessages, optionsText } from "../rows/message-rows.ts";
import type { NewMessageInSql } from "../rows/message-rows.ts";
import { areNewTold, tellNewMessages } from "../rows/outbox-rows.ts";
import { packTexts } from "../rows/packed-texts.ts";
import { byTarget } from "./by-target.ts";

/**
 * Locks the targets' rows against removal. Then each account takes a share that nobody holds and
 * that has room for all its messages to them. An account that finds no such share is left out. The
 * statement waits for nothing but the removal of a target, so no two batches can wait for each
 * other in a circle.
 *
 * This process knows the month only as exactly as it knows the database's clock. If the database's
 * clock disagrees, at the end of a month, nothing is stored.
 */
const scheduleText = (
  rows: string,
  times: Pick<NewMessageInSql, "deliveryTime" | "rest">,
): string => {
  const message = {
    messageId: "i.message_id",
    targetKey: "(live.keys->>i.target_index)::int",
    schedulingTime: "clock.now",
    ...times,
  };
  return `
  WITH clock AS MATERIALIZED (
    SELECT coalesce($11::bigint, now_ms()) AS now
  ), share AS MATERIALIZED (
    SELECT a.account_id, a.count, a.indexes, a.target_keys, a.event_masks, a.event_mask, s.share
    FROM (
      SELECT account_id, sum(count) AS count, array_agg(index) AS indexes,
        array_agg(target_key) AS target_keys, array_agg(event_mask) AS event_masks,
        bit_or(event_mask) AS event_mask
      FROM (
        SELECT u.index, u.count, t.target_key, t.account_id, e.event_mask
        FROM unnest($5::text[], $6::text[], $7::int[]) WITH ORDINALITY
          AS u(account_id, target_id, count, index)
        CROSS JOIN LATERAL (
          SELECT target_key, account_id FROM targets t
          WHERE t.account_id = u.account_id AND t.target_id = u.target_id
            AND t.removal_time IS NULL
          LIMIT 1 FOR KEY SHARE) AS t
        LEFT JOIN target_events e ON e.target_key = t.target_key
      ) AS live
      GROUP BY account_id
    ) AS a
    CROSS JOIN LATERAL (
      SELECT share FROM usage_shares s
      WHERE s.month = $8 AND s.account_id = a.account_id
        AND (s.granted IS NULL OR s.granted - s.used >= a.count)
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ) AS s
    WHERE (SELECT now >= $9 AND now < $10 FROM clock)
  ), counted AS (
    UPDATE usage_shares u SET used = u.used + share.count FROM share
    WHERE u.month = $8 AND u.account_id = share.account_id AND u.share = share.share
  ), told AS (
    ${tellNewMessages(
      message,
      `${rows}
    CROSS JOIN (
      SELECT jsonb_object_agg(index, target_key) AS keys FROM (
        SELECT unnest(indexes) AS index, unnest(target_keys) AS target_key,
          unnest(event_masks) AS event_mask
        FROM share) AS found
      WHERE ${areNewTold("event_mask")}
    ) AS live
    CROSS JOIN clock
    WHERE ${areNewTold("(SELECT bit_or(event_mask) FROM share)")} AND live.keys ? i.target_index`,
    )}
  )
  ${insertMessages({
    ...message,
    accountId: "($5::text[])[i.target_index::int]",
    payload: "substr($4::bytea, i.payload_start, i.payload_length)",
  })}
  FROM ${rows}
  -- Looked up by index and not joined: the planner does not know how many rows there will be.
  CROSS JOIN (
    SELECT jsonb_object_agg(index, target_key) AS keys FROM (
      SELECT unnest(indexes) AS index, unnest(target_keys) AS target_key FROM share) AS found
  ) AS live
  CROSS JOIN clock
  WHERE live.keys ? i.target_index
  RETURNING message_id, target_key, scheduling_time`;
};

const atInstants = {
  name: "schedule-messages",
  text: scheduleText(
    `unnest($1::uuid[], $2::text[], $3::bigint[], $12::int[], $13::int[])
    AS i(message_id, target_index, delivery_time, payload_start, payload_length)`,
    { deliveryTime: "i.delivery_time" },
  ),
};

/** A statement of its own, so that delays cost nothing where there are none. */
const withDelays = {
  name: "schedule-messages-with-delays",
  text: scheduleText(
    `unnest($1::uuid[], $2::text[], $3::bigint[], $12::int[], $13::int[], $14::bigint[])
    AS i(message_id, target_index, delivery_time, payload_start, payload_length, delay_ms)`,
    { deliveryTime: "coalesce(i.delivery_time, clock.now + i.delay_ms)" },
  ),
};

/** For candidates that are timed. */
const withOptionsText = {
  name: "schedule-messages-with-options",
  text: scheduleText(
    `unnest($1::uuid[], $2::text[], $3::bigint[], $12::int[], $13::int[], $14::bigint[],
      $15::text[])
    AS i(message_id, target_index, delivery_time, payload_start, payload_length, due_time, options)`,
    { deliveryTime: "i.delivery_time", rest: { dueTime: "i.due_time", options: "i.options" } },
  ),
};

/**
 * Stores messages whose keys are theirs already, without the rows that they are found by. They count for the month
 * `around` this instant. Those of accounts that find no share are missing in the answer.
 */
export async function keepMessages(
  run: Run,
  candidates: readonly MessageCandidate[],
  time: { readonly around: number; readonly now: number | null },
): Promise<Map<MessageCandidate, DecidedMessage>> {
  if (candidates.length === 0) return new Map();
  const { targets, indexes } = byTarget(candidates);
  // With a given time nobody can disagree about it.
  const month =
    time.now === null ? monthAround(time.around) : { start: time.now, end: time.now + 1 };
  const payloads = packTexts(candidates.map(({ request }) => request.payload));
  const { statement, more } = statementFor(candidates, time.now);
  const rows = await run({
    ...statement,
    values: [
      arrayLiteral(candidates.map(({ uuid }) => uuid)),
      arrayLiteral(indexes),
      arrayLiteral(candidates.map(instantGiven)),
      payloads.bytes,
      targets.map(({ accountId }) => accountId),
      targets.map(({ targetId }) => targetId),
      arrayLiteral(targets.map(({ count }) => count)),
      monthOf(time.around),
      month.start,
      month.end,
      time.now,
      arrayLiteral(payloads.starts),
      arrayLiteral(payloads.lengths),
      ...more,
    ],
  });
  const byId = new Map(rows.map((row) => [row["message_id"] as string, row]));
  const decided = new Map<MessageCandidate, DecidedMessage>();
  const decidedAccounts = new Set<string>();
  for (const candidate of candidates) {
    const row = byId.get(candidate.uuid);
    if (row === undefined) continue;
    decided.set(candidate, keptAs(candidate, row["target_key"], row["scheduling_time"]));
    decidedAccounts.add(candidate.request.accountId);
  }
  // All of an account's messages to live targets are stored, or none. A missing one has no target.
  for (const candidate of candidates) {
    const missing = !decided.has(candidate) && decidedAccounts.has(candidate.request.accountId);
    if (missing) decided.set(candidate, { kind: "no-target" });
  }
  return decided;
}

/** The statement, and its parameters behind those that all have. */
function statementFor(
  candidates: readonly MessageCandidate[],
  now: number | null,
): { readonly statement: Pick<Query, "name" | "text">; readonly more: readonly unknown[] } {
  if (now !== null && candidates.some(({ request }) => request.options !== null)) {
    const messages = candidates.map((candidate) => messageOf(candidate, now));
    const dueTimes = arrayLiteral(messages.map(({ nextDeliveryTime }) => nextDeliveryTime));
    const options = textArrayLiteral(messages.map((message) => optionsText(message.options)));
    return { statement: withOptionsText, more: [dueTimes, options] };
  }
  return candidates.some((candidate) => delayGiven(candidate) !== null)
    ? { statement: withDelays, more: [arrayLiteral(candidates.map(delayGiven))] }
    : { statement: atInstants, more: [] };
}
