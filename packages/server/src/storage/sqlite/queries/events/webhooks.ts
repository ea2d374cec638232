import { isOfLog } from "../../../../domain/events/bookmark.ts";
import { afterBatch, endOf, isOfRound } from "../../../../domain/events/event-endpoint.ts";
import type { BatchOutcome, EventEndpoint } from "../../../../domain/events/event-endpoint.ts";
import { endpointDisabledEvent } from "../../../../domain/events/other-events.ts";
import type { EventEndpointRef, Holder } from "../../../store.ts";
import { readEndpoint } from "../../rows/endpoint-rows.ts";
import type { Context } from "../context.ts";
import { markReader } from "./read-events.ts";

export function takeWebhooks({ db, webhookBook }: Context) {
  const select = db.prepare(
    `SELECT e.*, account_id FROM event_endpoints e CROSS JOIN accounts USING (account_key)
     WHERE kind = 'webhook' AND paused = 0 AND disabled_time IS NULL AND suspension_time IS NULL
     ORDER BY e.account_key, endpoint_id`,
  );
  return (holder: Holder, limit: number): EventEndpoint[] => {
    if (!webhookBook.isMember(holder)) return [];
    const taken: EventEndpoint[] = [];
    let left = limit;
    for (const row of select.all()) {
      const endpoint = readEndpoint(row);
      if (!webhookBook.holds(holder, endpoint)) {
        if (left-- <= 0) continue;
        webhookBook.take(holder, endpoint);
      }
      taken.push(endpoint);
    }
    return taken;
  };
}

export function recordBatch(context: Context) {
  const { clock, endpoints, webhookBook, events, logHeads } = context;
  const markAt = markReader(context);
  return (
    holder: Holder,
    ref: EventEndpointRef,
    round: number,
    outcome: BatchOutcome,
  ): EventEndpoint | "stale" => {
    const stored = webhookBook.holds(holder, ref) ? endpoints.find(ref) : undefined;
    const before = stored?.endpoint.progress;
    if (!stored || !before || !isOfRound(stored.endpoint, round, outcome)) return "stale";
    const { accountKey } = stored;
    const end = endOf(outcome);
    const look = { ...logHeads.spanOf(accountKey), mark: markAt(accountKey, end.position) };
    if (!isOfLog(end, look)) return "stale";
    const now = clock.now();
    const isGone = outcome.kind === "gone";
    const endpoint: EventEndpoint = {
      ...stored.endpoint,
      progress: afterBatch(before, outcome, now),
      ...(isGone && { disabledTime: now }),
    };
    endpoints.update(stored, endpoint);
    if (isGone) {
      events.tell(accountKey, { type: "endpoint.disabled", targetId: null }, () =>
        endpointDisabledEvent(ref.endpointId, outcome.statusCode, now),
      );
    }
    return endpoint;
  };
}
