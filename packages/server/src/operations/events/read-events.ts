import type { Caller } from "../../domain/access.ts";
import { bookmarkOf } from "../../domain/events/bookmark.ts";
import type { Bookmark } from "../../domain/events/bookmark.ts";
import type { LoggedEvent } from "../../domain/events/event.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Timers } from "../../platform/timers.ts";
import { beginPlace, readGivenBegin } from "./begin-position.ts";
import type { GivenBegin } from "./begin-position.ts";
import { endpointNotFound, endpointRef } from "./endpoint-ref.ts";
import type { EventReading, LogFollower } from "./event-control.ts";
import type { ListeningPlace, ListeningPlaces } from "./listening-places.ts";
import { nextEvents } from "./next-events.ts";
import { waitFor } from "./wait-for.ts";

export interface ReadEventsOptions {
  readonly reading: EventReading;
  readonly listeningPlaces: ListeningPlaces;
  readonly eventReadsInTurn: Pick<PlacesInTurn, "run">;
  /** The event as an answer has it. */
  readonly writeEvent: (event: LoggedEvent) => string;
  readonly timers: Timers;
}

export interface EventsRequest {
  readonly after?: string | undefined;
  readonly from?: string | undefined;
  readonly limit?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly problems: readonly Problem[];
  /** Aborts when the caller no longer waits for the answer. */
  readonly callerGone: AbortSignal;
  /** Called once, when the call begins to wait. */
  readonly onWait: () => void;
}

export interface EventsRead {
  readonly events: readonly LoggedEvent[];
  readonly nextPlace: Bookmark;
}

const defaultLimit = 100;
/** A call that finds nothing for its endpoint among so many events answers with how far it has come. */
const mostLookedAt = 5_000;
/** Few events of the log are read to give one. Many are read where few are for the endpoint. */
const firstPage = 20;
const furtherPages = 200;
/** An answer ends behind so many characters, whatever the caller would take: large events are large in memory, too. */
const mostCharacters = 1_000_000;
/** An account gathers two answers at once, however many it asks for. */
export const eventReadPlaces = { places: 32, placesOfOne: 2 };

/** Reads the next events of an endpoint, and waits for one if the caller asks for that. */
export async function readEvents(
  options: ReadEventsOptions,
  caller: Caller,
  endpointId: string,
  request: EventsRequest,
): Promise<EventsRead> {
  const begin = readBegin(request);
  endpointRef(caller, endpointId);
  const follower = await options.reading.follow(caller.accountId);
  try {
    return await readWith(follower, options, caller, endpointId, begin, request);
  } finally {
    follower.leave();
  }
}

function readBegin({ after, from, problems: formProblems }: EventsRequest): GivenBegin {
  const problems = [...formProblems];
  if (after !== undefined && from !== undefined) problems.push(twoBegins);
  const begin =
    after === undefined
      ? readGivenBegin(from, "from", problems)
      : readGivenBegin(after, "after", problems);
  if (problems.length > 0) throw new RequestRefused(...problems);
  return begin;
}

async function readWith(
  follower: LogFollower,
  { reading, listeningPlaces, eventReadsInTurn, writeEvent, timers }: ReadEventsOptions,
  { accountId }: Caller,
  endpointId: string,
  begin: GivenBegin,
  { limit = defaultLimit, waitMs = 0, callerGone, onWait }: EventsRequest,
): Promise<EventsRead> {
  const endpoint = follower.endpoint(endpointId);
  if (endpoint === undefined) throw new RequestRefused(endpointNotFound(endpointId));
  const events: LoggedEvent[] = [];
  let roomLeft = mostCharacters;
  let nextPlace = beginPlace(begin, endpoint, follower.span);
  let place: ListeningPlace | undefined;

  /** Whether there is another look: none for a caller who is gone, and none beyond the first without a place. */
  const mayLook = (lookedAt: number): boolean => {
    if (events.length >= limit || roomLeft <= 0 || lookedAt >= mostLookedAt) return false;
    if (callerGone.aborted || reading.ended.aborted) return false;
    if (lookedAt > 0) place ??= listeningPlaces.tryTake(accountId);
    return lookedAt === 0 || place !== undefined;
  };

  /** Takes those that there is room for, at least one. Answers with whether these are all. */
  const takeAll = (found: readonly LoggedEvent[]): boolean => {
    for (const event of found) {
      if (roomLeft <= 0) return false;
      roomLeft -= writeEvent(event).length;
      events.push(event);
    }
    return true;
  };

  /** Whether it has come to the end of the log. */
  const gather = async (): Promise<boolean> => {
    for (let lookedAt = 0; mayLook(lookedAt);) {
      const most = limit - events.length;
      const page =
        lookedAt === 0 ? Math.max(firstPage, Math.min(most, furtherPages)) : furtherPages;
      const found = await nextEvents(follower, endpoint, { after: nextPlace, limit: page, most });
      if (found.kind === "removed") throw new RequestRefused(endpointNotFound(endpointId));
      if (found.kind === "gap") {
        if (events.length > 0) return false;
        throw new RequestRefused(positionGone);
      }
      if (!takeAll(found.events)) {
        nextPlace = bookmarkOf(events.at(-1)!);
        return false;
      }
      lookedAt += Math.max(1, found.place.position - nextPlace.position);
      nextPlace = found.place;
      if (found.isEnd) return true;
    }
    return false;
  };
  const lookOn = (): Promise<boolean> => eventReadsInTurn.run(accountId, gather);

  try {
    let isAtEnd = await lookOn();
    if (events.length > 0 || !isAtEnd || waitMs === 0) return { events, nextPlace };
    place ??= listeningPlaces.take(accountId);
    using wait = waitFor(timers, waitMs, callerGone, reading.ended);
    onWait();
    while (events.length === 0 && isAtEnd && !wait.signal.aborted) {
      await follower.after(nextPlace.position, wait.signal);
      isAtEnd = await lookOn();
    }
  } finally {
    place?.giveBack();
  }
  return { events, nextPlace };
}

const twoBegins: Problem = {
  code: codes.invalidRequest,
  message: "Give after or from, not both.",
  field: "from",
};

const positionGone: Problem = {
  code: codes.eventPositionGone,
  message:
    "Events after this position are no longer in the log, or the log was set back since, as by a restored backup. Read on with from=oldest, and take into account that events are missing.",
};
