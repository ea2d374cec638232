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

/** What a look at a log tells about a place in it. */
export interface PlaceLook {
  /** Events up to here have left the log. */
  readonly removedUpTo: EventPosition;
  readonly last: EventPosition;
  /** Of the event at the place, if the log has it. */
  readonly mark: string | null;
}

/**
 * A log that was set back to an earlier state ends before the place, or has another event there. Of an event that has left
 * the log nobody can tell.
 */
export function isOfLog({ position, mark }: Bookmark, look: PlaceLook): boolean {
  if (position < look.removedUpTo) return true;
  return position <= look.last && (mark === null || mark === look.mark);
}

/** The end of an event's id, which is random and long enough to tell one event from another at the same position. */
const markLength = 10;

export function markOf({ eventId }: Pick<LoggedEvent, "eventId">): string {
  return eventId.slice("evt_".length).slice(-markLength);
}

export function bookmarkOf(event: LoggedEvent): Bookmark {
  return { position: event.position, mark: markOf(event) };
}
