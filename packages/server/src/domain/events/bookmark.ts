import type { EventPosition, LoggedEvent } from "./event.ts";

/**
 * Where a reader is in a log: right behind an event. A log that is set back to an earlier state, as by a restored backup,
 * gives the same positions again to other events. So a position is remembered with a mark of its event.
 */
export interface Bookmark {
  readonly position: EventPosition;
  /** Null: of the beginning, or not known. Then the position counts as it is. */
  readonly mark: string | null;
}

/** The end of an event's id, which is random and long enough to tell one event from another at the same position. */
const markLength = 10;

export function markOf({ eventId }: Pick<LoggedEvent, "eventId">): string {
  return eventId.slice("evt_".length).slice(-markLength);
}

export function bookmarkOf(event: LoggedEvent): Bookmark {
  return { position: event.position, mark: markOf(event) };
}
