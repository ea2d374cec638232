import { isOfLog } from "../../../../domain/events/bookmark.ts";
import { afterBatch, endOf, isOfRound } from "../../../../domain/events/event-endpoint.ts";
import type { BatchOutcome, EventEndpoint } from "../../../../domain/events/event-endpoint.ts";
import { endpointDisabledEvent } from "../../../../domain/events/other-events.ts";
import type { EventEndpointRef, Holder } from "../../../store.ts";
import {
  changingEndpointValues,
  endpointColumns,
  readEndpoint,
  updateEndpointRow,
} from "../../rows/endpoint-rows.ts";
import type { Run } from "../../connections/connections.ts";
import type { WorkContext } from "../context.ts";
import { isMemberAlive } from "../is-member-alive.ts";
import { markAt, markColumns, markedBundle, spanColumns, spanOf } from "./read-events.ts";
import { tellFacts } from "../../events/tell-facts.ts";

const isSending = "kind = 'webhook' AND NOT paused AND disabled_time IS NULL";

const isActive = (accountId: string): string => `EXISTS (
  SELECT FROM accounts a WHERE a.account_id = ${accountId}
    AND a.suspension_time IS NULL AND a.removal_time IS NULL)`;

/**
 * As with jobs: goes from membership to membership, which are few. An endpoint that is locked is left for the next time.
 * Somebody records for it, or changes it.
 */
const takeStatement = `
  WITH RECURSIVE held AS (
    (SELECT epoch FROM event_endpoints WHERE ${isSending} AND epoch >= 0 ORDER BY epoch LIMIT 1)
    UNION ALL
    SELECT (SELECT p.epoch FROM event_endpoints p WHERE ${isSending} AND p.epoch > held.epoch
      ORDER BY p.epoch LIMIT 1)
    FROM held WHERE held.epoch IS NOT NULL
  ), free AS MATERIALIZED (
    SELECT p.account_id, p.endpoint_id FROM held
    CROSS JOIN LATERAL (
      SELECT account_id, endpoint_id FROM event_endpoints
      WHERE ${isSending} AND event_endpoints.epoch = held.epoch
        AND ${isActive("event_endpoints.account_id")}
      LIMIT $2 FOR UPDATE SKIP LOCKED) AS p
    WHERE NOT ${isMemberAlive("held.epoch")}
    LIMIT $2
  ), taken AS (
    UPDATE event_endpoints p SET epoch = $1 FROM free f
    WHERE p.account_id = f.account_id AND p.endpoint_id = f.endpoint_id AND ${isMemberAlive("$1")}
    RETURNING ${endpointColumns}
  )
  SELECT ${endpointColumns} FROM event_endpoints p
  WHERE ${isSending} AND epoch = $1 AND ${isActive("p.account_id")} AND ${isMemberAlive("$1")}
  UNION ALL
  SELECT * FROM taken`;

export function takeWebhooks({ connections }: WorkContext) {
  return async ({ epoch }: Holder, limit: number): Promise<EventEndpoint[]> => {
    const rows = await connections.query({
      name: "take-webhooks",
      text: takeStatement,
      values: [epoch, limit],
    });
    return rows.map(readEndpoint);
  };
}

/** Whether somebody else has its lock. A caller who changes a filter may have it for long. */
async function isHeld(
  run: Run,
  { epoch }: Holder,
  accountId: string,
  endpointId: string,
): Promise<boolean> {
  const [row] = await run({
    name: "see-held-endpoint",
    text: `SELECT 1 FROM event_endpoints p JOIN accounts a ON a.account_id = p.account_id
      WHERE p.account_id = $1 AND p.endpoint_id = $2 AND p.epoch = $3
        AND a.removal_time IS NULL AND ${isMemberAlive("$3")}`,
    values: [accountId, endpointId, epoch],
  });
  return row !== undefined;
}

/** Late, on an endpoint that another membership holds or a caller has moved, it changes nothing. */
export function recordBatch({ connections }: WorkContext) {
  return (
    holder: Holder,
    { accountId, endpointId }: EventEndpointRef,
    round: number,
    outcome: BatchOutcome,
  ): Promise<EventEndpoint | "stale" | "busy"> =>
    connections.transaction(async (run) => {
      const end = endOf(outcome);
      const [row] = await run({
        name: "lock-held-endpoint",
        text: `SELECT ${endpointColumns}, now_ms() AS now, ${spanColumns}, ${markColumns}
          FROM event_endpoints p
          JOIN accounts a ON a.account_id = p.account_id
          LEFT JOIN event_logs l ON l.account_id = a.account_id
          ${markedBundle("$4::bigint")}
          WHERE p.account_id = $1 AND p.endpoint_id = $2 AND p.epoch = $3
            AND a.removal_time IS NULL AND ${isMemberAlive("$3")}
          FOR UPDATE OF p SKIP LOCKED`,
        values: [accountId, endpointId, holder.epoch, end.position],
      });
      if (row === undefined && (await isHeld(run, holder, accountId, endpointId))) return "busy";
      const before = row && readEndpoint(row);
      if (!before?.progress || !isOfRound(before, round, outcome)) return "stale";
      const look = { ...spanOf(row!), mark: markAt(row!, end.position) };
      if (!isOfLog(end, look)) return "stale";
      const now = row!["now"] as number;
      const isGone = outcome.kind === "gone";
      const endpoint: EventEndpoint = {
        ...before,
        progress: afterBatch(before.progress, outcome, now),
        ...(isGone && { disabledTime: now }),
      };
      await run({ ...updateEndpointRow, values: changingEndpointValues(endpoint) });
      if (isGone) {
        const facts = endpointDisabledEvent(endpointId, outcome.statusCode, now);
        await tellFacts(run, [{ accountId, facts }]);
      }
      return endpoint;
    });
}
