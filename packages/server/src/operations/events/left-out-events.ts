import { isWanted } from "../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../domain/events/event.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Store } from "../../storage/store.ts";

export interface LeftOutOptions {
  readonly store: Pick<Store, "readEvents">;
  readonly eventReadsInTurn: Pick<PlacesInTurn, "run">;
}

/** Which events a webhook is not sent if it goes on behind a place. */
export interface LeftOut {
  /** Those that it would get, among the events that were looked at. */
  readonly wanted: number;
  /** How many events of the account were not looked at. */
  readonly unseen: number;
}

/** So many events tell a caller enough, and hold no store for long. */
export const mostCounted = 10_000;
const pageSize = 200;

/** Counts what stands between the webhook's position and a place ahead of it. */
export async function leftOutEvents(
  { store, eventReadsInTurn }: LeftOutOptions,
  { accountId, filter, progress }: EventEndpoint,
  until: EventPosition,
): Promise<LeftOut> {
  let position = progress?.position ?? until;
  const end = Math.min(until, position + mostCounted);
  let wanted = 0;
  while (position < end) {
    const request = { after: position, limit: Math.min(pageSize, end - position) };
    const page = await eventReadsInTurn.run(accountId, () => store.readEvents(accountId, request));
    const last = page?.events.at(-1);
    if (page === undefined || last === undefined) return { wanted, unseen: 0 };
    // Events that have left the log reach beyond the end where they were many.
    const looked = page.events.filter((event) => event.position <= end);
    wanted += looked.filter((event) => isWanted(filter, event)).length;
    position = last.position;
  }
  return { wanted, unseen: Math.max(0, until - Math.max(position, end)) };
}
