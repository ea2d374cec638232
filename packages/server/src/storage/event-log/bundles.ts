import { markOf } from "../../domain/events/bookmark.ts";
import type { EventFacts, EventPosition, LoggedEvent } from "../../domain/events/event.ts";
import type { Instant } from "../../domain/instant.ts";
import { seededEventId } from "../../platform/event-ids.ts";
import { factsOf, lineOf, timeOf } from "./lines.ts";

/*
 * How both stores keep their logs of events. A row of a log is a bundle: events of one account that follow each other and
 * were written together. A row costs far more than what it says, so the number of rows is what matters. An event is a
 * line of a bundle, and becomes an object again only when somebody reads it.
 */
export interface EventBundle {
  readonly firstPosition: EventPosition;
  readonly lastPosition: EventPosition;
  /** The latest time of all events of the log up to the first one here. */
  readonly logTime: Instant;
  /** What the ids of the events begin with. */
  readonly seed: string;
  /** One event a line. */
  readonly events: string;
}

/** Where a new event goes. */
export interface LogPlace {
  readonly position: EventPosition;
  /** The latest time of all events up to here. It never falls along the log, so a time is found without an index. */
  readonly logTime: Instant;
}

/** A reader of one event reads its whole bundle. */
export const mostInBundle = 100;

/**
 * A bundle that has so many characters takes no further event. SQLite compares whole rows while it looks for one, so
 * each look-up in a log reads about ten bundles with their text. Most bundles are full before they are so long.
 */
export const longBundle = 32_768;

/** A bundle that gets its events one by one. */
export class GrowingBundle {
  readonly #place: LogPlace;
  #lines = "";
  #count = 0;

  /** `place`: of its first event. */
  constructor(place: LogPlace) {
    this.#place = place;
  }

  get isFull(): boolean {
    return this.#count >= mostInBundle || this.#lines.length >= longBundle;
  }

  add(facts: EventFacts): void {
    const line = lineOf(facts, this.#place.logTime);
    this.#lines = this.#count === 0 ? line : `${this.#lines}\n${line}`;
    this.#count++;
  }

  finished(seed: string): EventBundle {
    const { position, logTime } = this.#place;
    return {
      firstPosition: position,
      lastPosition: position + this.#count - 1,
      logTime,
      seed,
      events: this.#lines,
    };
  }
}

/** The events of a bundle after a position, and up to another. */
export function eventsWithin(
  accountId: string,
  { firstPosition, lastPosition, logTime, seed, events }: EventBundle,
  { after, upTo }: { readonly after: EventPosition; readonly upTo: EventPosition },
): LoggedEvent[] {
  const lines = events.split("\n");
  const found: LoggedEvent[] = [];
  const last = Math.min(lastPosition, upTo);
  for (let position = Math.max(firstPosition, after + 1); position <= last; position++) {
    const index = position - firstPosition;
    const eventId = seededEventId(seed, index);
    found.push({ accountId, eventId, position, ...factsOf(lines[index]!, logTime) });
  }
  return found;
}

/** The mark of an event of the bundle. */
export function markWithin(
  { firstPosition, seed }: Pick<EventBundle, "firstPosition" | "seed">,
  position: EventPosition,
): string {
  return markOf({ eventId: seededEventId(seed, position - firstPosition) });
}

/** The position of the bundle's last event that is earlier. Its first one is. */
export function lastBefore(bundle: EventBundle, time: Instant): EventPosition {
  const earlier = logTimesOf(bundle).filter((logTime) => logTime < time);
  return bundle.firstPosition + earlier.length - 1;
}

export interface OldEvents {
  /** The last one that may go; `removedUpTo`: none may. */
  readonly upTo: EventPosition;
  /** The mark of that one; null: none may. */
  readonly mark: string | null;
  /** The log time of the event behind it; null: there is none. */
  readonly nextTime: Instant | null;
}

export interface OldEventsOrder {
  readonly until: Instant;
  /** Up to here they go however young they are, because the log has too many. */
  readonly excessUpTo: EventPosition;
  readonly limit: number;
}

/** Finds the events behind `removedUpTo` that happened until then or are too many, up to so many. */
export function oldEventsOf(
  bundles: Iterable<EventBundle>,
  removedUpTo: EventPosition,
  { until, excessUpTo, limit }: OldEventsOrder,
): OldEvents {
  let upTo = removedUpTo;
  let mark: string | null = null;
  for (const bundle of bundles) {
    const logTimes = logTimesOf(bundle);
    const begin = upTo;
    while (upTo < bundle.lastPosition) {
      const nextTime = logTimes[upTo + 1 - bundle.firstPosition]!;
      const isYoung = nextTime > until && upTo >= excessUpTo;
      const isLeft = isYoung || upTo - removedUpTo >= limit;
      if (isLeft) return { upTo, mark: upTo > begin ? markWithin(bundle, upTo) : mark, nextTime };
      upTo++;
    }
    mark = markWithin(bundle, upTo);
  }
  return { upTo, mark, nextTime: null };
}

/** The log time of each event of a bundle. */
function logTimesOf({ logTime, events }: Pick<EventBundle, "logTime" | "events">): Instant[] {
  let latest = logTime;
  return events.split("\n").map((line) => {
    latest = Math.max(latest, timeOf(line, logTime));
    return latest;
  });
}
