import type { Bookmark } from "../../domain/events/bookmark.ts";
import { bookmarkOf, isOfLog } from "../../domain/events/bookmark.ts";
import { isWanted } from "../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPosition, LoggedEvent } from "../../domain/events/event.ts";
import { oldestPosition } from "./begin-position.ts";
import type { LogFollower } from "./event-control.ts";

/** What a reader finds in the log behind its place. */
export type Found =
  | {
      readonly kind: "events";
      /** Those that the endpoint gets; maybe none. */
      readonly events: readonly LoggedEvent[];
      /** How far the log was looked at. */
      readonly place: Bookmark;
      readonly isEnd: boolean;
    }
  /** Events are missing. The log goes on after this place. */
  | { readonly kind: "gap"; readonly place: Bookmark }
  /** The account or the endpoint is gone. */
  | { readonly kind: "removed" };

/** One read: at most `limit` events of the log, of which the endpoint gets at most `most`. */
export interface LogLook {
  readonly after: Bookmark;
  readonly limit: number;
  readonly most: number;
}

/** The endpoint is the one that the reader began with: another may have its id by now. */
export async function nextEvents(
  follower: LogFollower,
  { endpointId, creationTime }: EventEndpoint,
  { after, limit, most }: LogLook,
): Promise<Found> {
  const page = await follower.read(after.position, limit);
  const endpoint = follower.endpoint(endpointId);
  if (page === undefined || endpoint?.creationTime !== creationTime) return { kind: "removed" };
  const begin = oldestPosition(endpoint, page);
  const isSame = isOfLog(after, page);
  // What happened before the endpoint was created was never for it, so nothing of that is missing.
  if (isSame && after.position < begin && begin === endpoint.startPosition) {
    const start = { position: begin, mark: null };
    return nextEvents(follower, endpoint, { after: start, limit, most });
  }
  if (!isSame || after.position < begin) {
    return { kind: "gap", place: await placeAt(follower, begin) };
  }
  const wanted = page.events.filter((event) => isWanted(endpoint.filter, event));
  const events = wanted.slice(0, most);
  const last = wanted.length > most ? events.at(-1) : page.events.at(-1);
  const place =
    last === undefined ? { position: after.position, mark: page.mark } : bookmarkOf(last);
  return { kind: "events", events, place, isEnd: place.position >= page.last };
}

async function placeAt(follower: LogFollower, position: EventPosition): Promise<Bookmark> {
  const page = await follower.read(position, 1);
  const isThere = page !== undefined && page.removedUpTo <= position;
  return { position, mark: isThere ? page.mark : null };
}
