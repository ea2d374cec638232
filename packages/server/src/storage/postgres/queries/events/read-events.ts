import type { EventPosition } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import { eventsWithin, lastBefore, markWithin } from "../../../event-log/bundles.ts";
import type {
  EventPage,
  EventPageRequest,
  LogMarks,
  LogSpan,
  WebhookCopy,
} from "../../../store.ts";
import type { Row } from "../../connections/connections.ts";
import { bundlesBehind, readBundle } from "../../rows/bundle-rows.ts";
import type { Context, WorkContext } from "../context.ts";

/** An account without a log has never had an endpoint. */
export const spanColumns = `coalesce(l.last_position, 0) AS last, coalesce(l.removed_up_to, 0) AS removed`;

/** Where a page begins. */
const begin = "greatest($2::bigint, l.removed_up_to)";

/** What the mark of the event at a position is made of. */
export const markColumns = "l.removed_mark, m.marked_first, m.marked_seed";
export const markedBundle = (position: string): string => `
  LEFT JOIN LATERAL (
    SELECT first_position AS marked_first, seed AS marked_seed FROM event_bundles
    WHERE event_bundles.account_id = a.account_id AND last_position >= ${position}
    ORDER BY last_position LIMIT 1) AS m ON ${position} > l.removed_up_to`;

const pageOf = (condition: string): string => `
  SELECT ${spanColumns}, ${markColumns}, b.* FROM accounts a
  LEFT JOIN event_logs l ON l.account_id = a.account_id
  ${markedBundle(begin)}
  LEFT JOIN LATERAL (${bundlesBehind("a.account_id", begin, "$3::int")}) AS b ON true
  WHERE a.account_id = $1 AND a.removal_time IS NULL ${condition} ORDER BY b.last_position`;

const pageStatement = { name: "read-events", text: pageOf("") };

const webhookStatement = {
  name: "read-events-to-send",
  text: pageOf(`AND a.suspension_time IS NULL AND EXISTS (
    SELECT FROM event_endpoints p WHERE p.account_id = $1 AND p.endpoint_id = $4
      AND p.revision = $5 AND p.update_time = $6 AND p.epoch = $7
      AND NOT p.paused AND p.disabled_time IS NULL)`),
};

const copyValues = ({ endpointId, revision, updateTime, holder }: WebhookCopy): unknown[] => [
  ...[endpointId, revision, updateTime, holder.epoch],
];

/** One statement, and so one look: what it says about the end and the webhook fits to the events. */
export function readEvents({ connections }: Context) {
  return async (
    accountId: string,
    { after, limit, webhook }: EventPageRequest,
  ): Promise<EventPage | undefined> => {
    const place = [accountId, after, limit];
    const rows = await connections.query(
      webhook === undefined
        ? { ...pageStatement, values: place }
        : { ...webhookStatement, values: [...place, ...copyValues(webhook)] },
      accountId,
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const span = spanOf(first);
    const behind = Math.max(after, span.removedUpTo);
    const page = { after: behind, upTo: behind + limit };
    const bundles = rows.filter((row) => row["last_position"] !== null).map(readBundle);
    const events = bundles.flatMap((each) => eventsWithin(accountId, each, page));
    return { ...span, events, mark: markAt(first, behind) };
  };
}

export function marksAt({ connections }: Context) {
  return async (
    accountId: string,
    positions: readonly EventPosition[],
  ): Promise<LogMarks | undefined> => {
    const rows = await connections.query(
      {
        name: "marks-at",
        text: `SELECT ${spanColumns}, ${markColumns} FROM accounts a
          LEFT JOIN event_logs l ON l.account_id = a.account_id
          LEFT JOIN unnest($2::bigint[]) WITH ORDINALITY AS p(position, nth) ON true
          ${markedBundle("p.position")}
          WHERE a.account_id = $1 AND a.removal_time IS NULL ORDER BY p.nth`,
        values: [accountId, positions],
      },
      accountId,
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const marks = positions.map((position, nth) => markAt(rows[nth]!, position));
    return { ...spanOf(first), marks };
  };
}

/** The mark of the event at the position. Null: the log ends before it, has lost it, or has not begun. */
export function markAt(row: Row, position: EventPosition): string | null {
  if (position === row["removed"]) return row["removed_mark"];
  if (row["marked_seed"] === null) return null;
  return markWithin({ firstPosition: row["marked_first"], seed: row["marked_seed"] }, position);
}

export function logSpans({ connections }: WorkContext) {
  return async (accountIds: readonly string[]): Promise<ReadonlyMap<string, LogSpan>> => {
    if (accountIds.length === 0) return new Map();
    const rows = await connections.query({
      name: "see-log-spans",
      text: `SELECT u.account_id, ${spanColumns} FROM unnest($1::text[]) AS u(account_id)
        CROSS JOIN LATERAL (
          SELECT FROM accounts a WHERE a.account_id = u.account_id AND a.removal_time IS NULL
          LIMIT 1) AS live
        LEFT JOIN event_logs l ON l.account_id = u.account_id`,
      values: [accountIds],
    });
    return new Map(rows.map((row) => [row["account_id"] as string, spanOf(row)]));
  };
}

/**
 * Log times never fall along the log, so halving it finds the last bundle whose first event is earlier. That has the place in
 * it, or ends there.
 */
const findStatement = `
  WITH RECURSIVE log AS (
    SELECT removed_up_to, last_position FROM event_logs WHERE account_id = $1
  ), halved AS (
    SELECT removed_up_to + 1 AS low, last_position AS high, NULL::bigint AS found FROM log
    UNION ALL
    SELECT CASE WHEN is_earlier THEN b.last_position + 1 ELSE low END,
      CASE WHEN is_earlier THEN high ELSE b.first_position - 1 END,
      CASE WHEN is_earlier THEN b.last_position ELSE found END
    FROM halved CROSS JOIN LATERAL (
      SELECT first_position, last_position, log_time < $2::bigint AS is_earlier FROM event_bundles
      WHERE account_id = $1 AND last_position >= (low + high) / 2
      ORDER BY last_position LIMIT 1) AS b
    WHERE low <= high
  )
  SELECT log.removed_up_to AS removed, b.* FROM log
  LEFT JOIN LATERAL (
    SELECT first_position, last_position, log_time, seed, events FROM event_bundles
    WHERE account_id = $1 AND last_position = (SELECT found FROM halved WHERE low > high)
  ) AS b ON true`;

export function findPosition({ connections }: Context) {
  return async (accountId: string, time: Instant): Promise<EventPosition> => {
    const [row] = await connections.query(
      { name: "find-event-position", text: findStatement, values: [accountId, time] },
      accountId,
    );
    if (row === undefined) return 0;
    const removedUpTo = row["removed"] as EventPosition;
    if (row["last_position"] === null) return removedUpTo;
    return Math.max(removedUpTo, lastBefore(readBundle(row), time));
  };
}

export function spanOf(row: Row): LogSpan {
  return { removedUpTo: row["removed"], last: row["last"] };
}
