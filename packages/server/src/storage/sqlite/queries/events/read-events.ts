import { eventTypes } from "../../../../domain/events/event-types.ts";
import type { EventPosition, LoggedEvent } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { EventPage, EventPageRequest, LogSpan, WebhookCopy } from "../../../store.ts";
import type { Values } from "../../rows/rows.ts";
import type { Context } from "../context.ts";

export function readEvents({ db, accounts, logHeads, webhookBook }: Context) {
  const select = db.prepare(
    `SELECT position, event_id, type, time, target_id, data FROM events
     WHERE account_key = ? AND position > ? ORDER BY position LIMIT ?`,
  );
  select.setReturnArrays(true);
  const selectWebhook = db.prepare(
    `SELECT 1 FROM event_endpoints CROSS JOIN accounts USING (account_key)
     WHERE account_key = ? AND endpoint_id = ? AND revision = ?
       AND paused = 0 AND disabled_time IS NULL AND suspension_time IS NULL`,
  );
  const maySend = (accountKey: number, accountId: string, webhook: WebhookCopy): boolean => {
    const { holder, endpointId, revision } = webhook;
    if (!webhookBook.holds(holder, { accountId, endpointId })) return false;
    return selectWebhook.get(accountKey, endpointId, revision) !== undefined;
  };
  return (
    accountId: string,
    { after, limit, webhook }: EventPageRequest,
  ): EventPage | undefined => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return undefined;
    if (webhook !== undefined && !maySend(accountKey, accountId, webhook)) return undefined;
    const rows = select.all(accountKey, after, limit) as unknown as Values[];
    return {
      ...logHeads.spanOf(accountKey),
      events: rows.map((row) => readEvent(row, accountId)),
    };
  };
}

export function logSpans({ accounts, logHeads }: Context) {
  return (accountIds: readonly string[]): ReadonlyMap<string, LogSpan> => {
    const spans = new Map<string, LogSpan>();
    for (const accountId of accountIds) {
      const accountKey = accounts.keyOf(accountId);
      if (accountKey !== undefined) spans.set(accountId, logHeads.spanOf(accountKey));
    }
    return spans;
  };
}

/** Log times never fall along the log, so halving it finds the place. */
export function findPosition({ db, accounts, logHeads }: Context) {
  const select = db.prepare("SELECT log_time FROM events WHERE account_key = ? AND position = ?");
  return (accountId: string, time: Instant): EventPosition => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return 0;
    const span = logHeads.spanOf(accountKey);
    let before = span.removedUpTo;
    let last = span.last;
    while (before < last) {
      const middle = before + Math.ceil((last - before) / 2);
      const logTime = select.get(accountKey, middle)!["log_time"] as number;
      if (logTime < time) before = middle;
      else last = middle - 1;
    }
    return before;
  };
}

function readEvent(row: Values, accountId: string): LoggedEvent {
  const [position, eventId, type, time, targetId, data] = row as [
    ...[number, string, number, number],
    ...[string | null, string],
  ];
  return {
    ...{ accountId, eventId, position, type: eventTypes[type]!, time, targetId },
    data: JSON.parse(data) as LoggedEvent["data"],
  };
}
