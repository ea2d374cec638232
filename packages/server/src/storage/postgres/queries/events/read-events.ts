import { eventTypes } from "../../../../domain/events/event-types.ts";
import type { EventPosition, LoggedEvent } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { EventPage, EventPageRequest, LogSpan } from "../../../store.ts";
import type { Row } from "../../connections/connections.ts";
import type { Context, WorkContext } from "../context.ts";

/** An account without a log has never had an endpoint. */
const spanColumns = `coalesce(l.last_position, 0) AS last, coalesce(l.removed_up_to, 0) AS removed`;

const pageOf = (condition: string): string => `
  SELECT ${spanColumns}, e.* FROM accounts a
  LEFT JOIN event_logs l ON l.account_id = a.account_id
  LEFT JOIN LATERAL (
    SELECT position, event_id, type, time, target_id, data FROM events
    WHERE events.account_id = a.account_id AND position > $2
    ORDER BY position LIMIT $3) AS e ON true
  WHERE a.account_id = $1 AND a.removal_time IS NULL ${condition} ORDER BY e.position`;

const pageStatement = { name: "read-events", text: pageOf("") };

const webhookStatement = {
  name: "read-events-to-send",
  text: pageOf(`AND a.suspension_time IS NULL AND EXISTS (
    SELECT FROM event_endpoints p WHERE p.account_id = $1 AND p.endpoint_id = $4
      AND p.revision = $5 AND p.epoch = $6 AND NOT p.paused AND p.disabled_time IS NULL)`),
};

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
        : {
            ...webhookStatement,
            values: [...place, webhook.endpointId, webhook.revision, webhook.holder.epoch],
          },
      accountId,
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const found = rows.filter((row) => row["position"] !== null);
    return { ...spanOf(first), events: found.map((row) => readEvent(row, accountId)) };
  };
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

/** Log times never fall along the log, so halving it finds the place. */
const findStatement = `
  WITH RECURSIVE place AS (
    SELECT removed_up_to AS before, last_position AS last FROM event_logs WHERE account_id = $1
    UNION ALL
    SELECT CASE WHEN is_earlier THEN middle ELSE before END,
      CASE WHEN is_earlier THEN last ELSE middle - 1 END
    FROM (
      SELECT before, last, middle, (
        SELECT log_time < $2 FROM events e
        WHERE e.account_id = $1 AND e.position = middle) AS is_earlier
      FROM (
        SELECT before, last, before + (last - before + 1) / 2 AS middle FROM place
        WHERE before < last) AS halved
    ) AS looked
  )
  SELECT before FROM place WHERE before >= last LIMIT 1`;

export function findPosition({ connections }: Context) {
  return async (accountId: string, time: Instant): Promise<EventPosition> => {
    const [row] = await connections.query(
      { name: "find-event-position", text: findStatement, values: [accountId, time] },
      accountId,
    );
    return (row?.["before"] as number | undefined) ?? 0;
  };
}

function spanOf(row: Row): LogSpan {
  return { removedUpTo: row["removed"], last: row["last"] };
}

function readEvent(row: Row, accountId: string): LoggedEvent {
  return {
    accountId,
    eventId: row["event_id"],
    position: row["position"],
    type: eventTypes[row["type"] as number]!,
    time: row["time"],
    targetId: row["target_id"],
    data: JSON.parse(row["data"]),
  };
}
