import type { Caller } from "../../domain/access.ts";
import type { Bookmark } from "../../domain/events/bookmark.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../domain/events/event.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Timers } from "../../platform/timers.ts";
import { beginPlace, readGivenBegin } from "./begin-position.ts";
import { endpointNotFound, endpointRef } from "./endpoint-ref.ts";
import type { EventReading, LogFollower } from "./event-control.ts";
import type { ListeningPlace, ListeningPlaces } from "./listening-places.ts";
import { nextEvents } from "./next-events.ts";
import { waitFor } from "./wait-for.ts";

export interface StreamEventsOptions {
  readonly reading: EventReading;
  readonly listeningPlaces: ListeningPlaces;
  readonly timers: Timers;
}

export interface StreamRequest {
  readonly from?: string | undefined;
  /** The position of the last event that the caller has seen. It goes before `from`. */
  readonly lastEventId?: string | undefined;
  readonly problems: readonly Problem[];
}

export type StreamPart =
  | { readonly kind: "events"; readonly events: readonly LoggedEvent[] }
  /** Events are missing. The stream goes on after this place. */
  | { readonly kind: "gap"; readonly place: Bookmark }
  /** Nothing has happened for the endpoint for as long as was waited. The log was looked at up to this place. */
  | { readonly kind: "quiet"; readonly place: Bookmark }
  /** The endpoint or the account is gone, the server stops, or the reader has left. */
  | { readonly kind: "ended" };

/** How many events a stream holds in memory while its reader is slow. */
const mostHeld = 50;

/** Begins to read an endpoint from one place on. Holds a place until the reader leaves. */
export async function streamEvents(
  { reading, listeningPlaces, timers }: StreamEventsOptions,
  caller: Caller,
  endpointId: string,
  { from, lastEventId, problems: formProblems }: StreamRequest,
): Promise<EventStream> {
  const problems = [...formProblems];
  const begin = lastEventId
    ? readGivenBegin(lastEventId, "Last-Event-ID", problems)
    : readGivenBegin(from, "from", problems);
  if (problems.length > 0) throw new RequestRefused(...problems);
  endpointRef(caller, endpointId);
  const place = listeningPlaces.take(caller.accountId);
  let follower: LogFollower | undefined;
  try {
    follower = await reading.follow(caller.accountId);
    const endpoint = follower.endpoint(endpointId);
    if (endpoint === undefined) throw new RequestRefused(endpointNotFound(endpointId));
    const begun = beginPlace(begin, endpoint, follower.span);
    const { ended } = reading;
    return new EventStream({ follower, endpoint, place, begun, timers, ended });
  } catch (error) {
    follower?.leave();
    place.giveBack();
    throw error;
  }
}

interface EventStreamOptions {
  readonly follower: LogFollower;
  readonly endpoint: EventEndpoint;
  readonly place: ListeningPlace;
  readonly begun: Bookmark;
  readonly timers: Timers;
  /** Aborts when the server stops. */
  readonly ended: AbortSignal;
}

/** One reader of an endpoint, who asks for the next part when there is room for it. */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #left = new AbortController();
  #reached: Bookmark;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#reached = options.begun;
  }

  /** Waits for the next part, for `withinMs` at most. */
  async next(withinMs: number): Promise<StreamPart> {
    const { follower, endpoint, timers, ended } = this.#options;
    using wait = waitFor(timers, withinMs, this.#left.signal, ended);
    for (;;) {
      if (this.#left.signal.aborted || ended.aborted) return { kind: "ended" };
      if (wait.signal.aborted) return { kind: "quiet", place: this.#reached };
      const found = await nextEvents(follower, endpoint, {
        ...{ after: this.#reached, limit: mostHeld, most: mostHeld },
      });
      if (found.kind === "removed") return { kind: "ended" };
      this.#reached = found.place;
      if (found.kind === "gap") return found;
      if (found.events.length > 0) return { kind: "events", events: found.events };
      if (found.isEnd) await follower.after(this.#reached.position, wait.signal);
    }
  }

  /** May be called again, and does nothing then. */
  leave(): void {
    if (this.#left.signal.aborted) return;
    this.#left.abort();
    this.#options.follower.leave();
    this.#options.place.giveBack();
  }

  /** Aborts when the server stops. */
  get ended(): AbortSignal {
    return this.#options.ended;
  }
}
