import { isWanted } from "../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPosition, LoggedEvent } from "../../domain/events/event.ts";
import { isInLog, oldestPosition } from "./begin-position.ts";
import type { LogFollower } from "./event-control.ts";

/** What a reader finds in the log behind its position. */
export type Found =
  | {
      readonly kind: "events";
      /** Those that the endpoint gets; maybe none. */
      readonly events: readonly LoggedEvent[];
      /** How far the log was looked at. */
      readonly position: EventPosition;
      readonly isEnd: boolean;
    }
  /** Events are missing. The log goes on after this position. */
  | { readonly kind: "gap"; readonly position: EventPosition }
  /** The account or the endpoint is gone. */
  | { readonly kind: "removed" };

/** One read: at most `limit` events of the log, of which the endpoint gets at most `most`. */
export interface LogLook {
  readonly after: EventPosition;
  readonly limit: number;
  readonly most: number;
}

/** The endpoint is the one that the reader began with: another may have its id by now. */
export async function nextEvents(
  follower: LogFollower,
  { endpointId, creationTime }: EventEndpoint,
  { after, limit, most }: LogLook,
): Promise<Found> {
  const page = await follower.read(after, limit);
  const endpoint = follower.endpoint(endpointId);
  if (page === undefined || endpoint?.creationTime !== creationTime) return { kind: "removed" };
  if (!isInLog(after, page)) return { kind: "gap", position: oldestPosition(endpoint, page) };
  const wanted = page.events.filter((event) => isWanted(endpoint.filter, event));
  const events = wanted.slice(0, most);
  const last = wanted.length > most ? events.at(-1) : page.events.at(-1);
  const position = last?.position ?? after;
  return { kind: "events", events, position, isEnd: position >= page.last };
}
