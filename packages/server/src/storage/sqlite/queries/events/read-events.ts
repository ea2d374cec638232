import type { EventPosition, LoggedEvent } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import { eventsWithin, lastBefore, markWithin } from "../../../event-log/bundles.ts";
import type { EventBundle } from "../../../event-log/bundles.ts";
import type {
  EventPage,
  EventPageRequest,
  LogMarks,
  LogSpan,
  WebhookCopy,
} from "../../../store.ts";
import { bundleColumns, placeColumns, readBundle, readPlace } from "../../rows/bundle-rows.ts";
import type { BundlePlace } from "../../rows/bundle-rows.ts";
import type { Values } from "../../rows/rows.ts";
import type { Context } from "../context.ts";

export function readEvents(context: Context) {
  const { db, accounts, events, logHeads, webhookBook } = context;
  const bundlesAfter = bundleReader({ db });
  const markAt = markReader(context);
  const selectWebhook = db.prepare(
    `SELECT 1 FROM event_endpoints CROSS JOIN accounts USING (account_key)
     WHERE account_key = ? AND endpoint_id = ? AND revision = ? AND update_time = ?
       AND paused = 0 AND disabled_time IS NULL AND suspension_time IS NULL`,
  );
  const maySend = (accountKey: number, accountId: string, webhook: WebhookCopy): boolean => {
    const { holder, endpointId, revision, updateTime } = webhook;
    if (!webhookBook.holds(holder, { accountId, endpointId })) return false;
    return selectWebhook.get(accountKey, endpointId, revision, updateTime) !== undefined;
  };
  return (
    accountId: string,
    { after, limit, webhook }: EventPageRequest,
  ): EventPage | undefined => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return undefined;
    if (webhook !== undefined && !maySend(accountKey, accountId, webhook)) return undefined;
    events.persistAll();
    const span = logHeads.spanOf(accountKey);
    const begin = Math.max(after, span.removedUpTo);
    const place = { after: begin, upTo: begin + limit };
    const found: LoggedEvent[] = [];
    for (const bundle of bundlesAfter(accountKey, begin)) {
      if (bundle.firstPosition > place.upTo) break;
      found.push(...eventsWithin(accountId, bundle, place));
    }
    return { ...span, events: found, mark: markAt(accountKey, begin) };
  };
}

export function marksAt(context: Context) {
  const { accounts, events, logHeads } = context;
  const markAt = markReader(context);
  return (accountId: string, positions: readonly EventPosition[]): LogMarks | undefined => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return undefined;
    events.persistAll();
    const marks = positions.map((position) => markAt(accountKey, position));
    return { ...logHeads.spanOf(accountKey), marks };
  };
}

/** Reads the mark of an event. Null: the log ends before it, has lost it, or it was the first of all to come. */
export function markReader({ db, logHeads }: Pick<Context, "db" | "logHeads">) {
  const select = db.prepare(
    `SELECT first_position, seed FROM event_bundles
     WHERE account_key = ? AND last_position >= ? ORDER BY last_position LIMIT 1`,
  );
  return (accountKey: number, position: EventPosition): string | null => {
    const { removedUpTo, last } = logHeads.spanOf(accountKey);
    if (position === removedUpTo) return logHeads.removedMarkOf(accountKey);
    if (position < removedUpTo || position > last) return null;
    const row = select.get(accountKey, position)!;
    const bundle = { firstPosition: row["first_position"], seed: row["seed"] };
    return markWithin(bundle as { firstPosition: number; seed: string }, position);
  };
}

/** Reads bundles that have events behind a position, one after the other. */
export function bundleReader({ db }: Pick<Context, "db">) {
  const select = db.prepare(
    `SELECT ${bundleColumns} FROM event_bundles
     WHERE account_key = ? AND last_position > ? ORDER BY last_position`,
  );
  select.setReturnArrays(true);
  return function* (accountKey: number, after: EventPosition): Generator<EventBundle> {
    for (const row of select.iterate(accountKey, after)) {
      yield readBundle(row as unknown as Values);
    }
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

/**
 * Log times never fall along the log, so halving it finds the bundle, and the bundle has the place. Only that one's text
 * is read.
 */
export function findPosition({ db, accounts, events, logHeads }: Context) {
  const selectPlace = db.prepare(
    `SELECT ${placeColumns} FROM event_bundles
     WHERE account_key = ? AND last_position >= ? ORDER BY last_position LIMIT 1`,
  );
  selectPlace.setReturnArrays(true);
  const select = db.prepare(
    `SELECT ${bundleColumns} FROM event_bundles WHERE account_key = ? AND last_position = ?`,
  );
  select.setReturnArrays(true);
  const placeAt = (accountKey: number, position: EventPosition): BundlePlace =>
    readPlace(selectPlace.get(accountKey, position) as unknown as Values);
  const bundleThatEnds = (accountKey: number, lastPosition: EventPosition): EventBundle =>
    readBundle(select.get(accountKey, lastPosition) as unknown as Values);

  return (accountId: string, time: Instant): EventPosition => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return 0;
    events.persistAll();
    const { removedUpTo, last: end } = logHeads.spanOf(accountKey);
    // The last bundle whose first event is earlier has the place in it, or ends there.
    let found: BundlePlace | undefined;
    let [from, to] = [removedUpTo + 1, end];
    while (from <= to) {
      const bundle = placeAt(accountKey, Math.floor((from + to) / 2));
      if (bundle.logTime < time) {
        found = bundle;
        from = bundle.lastPosition + 1;
      } else to = bundle.firstPosition - 1;
    }
    if (found === undefined) return removedUpTo;
    const bundle = bundleThatEnds(accountKey, found.lastPosition);
    return Math.max(removedUpTo, lastBefore(bundle, time));
  };
}
