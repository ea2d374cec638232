import { isWanted } from "../../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import { bookmarkOf, isOfLog } from "../../../domain/events/bookmark.ts";
import type { Bookmark } from "../../../domain/events/bookmark.ts";
import type { EventPosition, LoggedEvent } from "../../../domain/events/event.ts";
import type { EventPage } from "../../../storage/store.ts";
import { eventBody } from "../../../targets/event-body.ts";
import type { EventBody, WrittenEvent } from "../../../targets/event-body.ts";
import { gapEvent } from "./gap-event.ts";

/** What one request tells. */
export interface EventBatch extends EventBody {
  readonly batchEnd: EventPosition;
  /** Everything up to here is done with after a success. */
  readonly place: Bookmark;
}

export type NextBatch =
  | { readonly kind: "batch"; readonly batch: EventBatch }
  /** Nothing up to here is for the endpoint. There may be more behind it. */
  | { readonly kind: "skipped"; readonly place: Bookmark }
  /** The account is gone, or the endpoint is not as it was. */
  | { readonly kind: "outdated" }
  /** The log does not have the place any more: it was set back to an earlier state, and the webhook with it. */
  | { readonly kind: "set back" };

export interface NextBatchOptions {
  readonly endpoint: EventEndpoint;
  /** Everything up to here is done with. */
  readonly after: Bookmark;
  readonly readEvents: (
    accountId: string,
    page: { readonly after: EventPosition; readonly limit: number },
  ) => Promise<EventPage | undefined>;
  /** The event as it is sent: a CloudEvent in JSON. */
  readonly writeEvent: (event: LoggedEvent) => string;
}

/** Few are read to send one. Many are read where few are for the endpoint. */
const firstPage = 20;
const furtherPages = 500;
/** Accounts take turns after so many events. */
const mostLookedAt = 2_000;
/** Receivers read a request of 256 KiB, as they must for a message. An event that is longer goes alone. */
const mostBytes = 250_000;

/**
 * Reads the log for the next request to a webhook. A request that has failed is made again with the same
 * events: those up to `batchEnd`.
 */
export async function nextBatch(options: NextBatchOptions): Promise<NextBatch> {
  const { endpoint, after, readEvents } = options;
  const { accountId, maxBatch, progress } = endpoint;
  const gathered = new Gathered(options);
  let until = progress?.batchEnd ?? null;
  let place = after;
  for (let limit = Math.max(maxBatch, firstPage); ; limit = furtherPages) {
    const page = await readEvents(accountId, { after: place.position, limit });
    if (page === undefined) return { kind: "outdated" };
    if (!isOfLog(place, page)) return { kind: "set back" };
    if (page.removedUpTo <= place.position) place = { ...place, mark: page.mark };
    const [first] = page.events;
    if (first === undefined) break;
    const isGap = first.position > place.position + 1;
    // What was gathered is sent first, even if events behind it have left the log meanwhile.
    if (isGap && !gathered.isEmpty) break;
    if (isGap) {
      gathered.addGap(place.position, first);
      place = { position: first.position - 1, mark: page.mark };
      if (until !== null && until <= place.position) until = null;
    }
    for (const event of page.events) {
      if (until !== null && event.position > until) {
        if (!gathered.isEmpty) return gathered.batch(place);
        // The filter has changed, or the events have left the log.
        until = null;
      }
      if (isWanted(endpoint.filter, event) && !gathered.add(event)) return gathered.batch(place);
      place = bookmarkOf(event);
    }
    const isWhole = until === null || place.position >= until;
    const looked = place.position - after.position;
    if (isWhole && (!gathered.isEmpty || looked >= mostLookedAt)) break;
    if (place.position >= page.last) break;
  }
  return gathered.isEmpty ? { kind: "skipped", place } : gathered.batch(place);
}

class Gathered {
  readonly #options: NextBatchOptions;
  readonly #events: WrittenEvent[] = [];
  #bytes = 0;
  #batchEnd = 0;

  constructor(options: NextBatchOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** The events between the position and the first that is left are gone. */
  addGap(after: EventPosition, first: LoggedEvent): void {
    const { eventId, text } = gapEvent(this.#options.endpoint, after, first);
    this.#push(eventId, text, first.position - 1);
  }

  /** False: the request is full. */
  add(event: LoggedEvent): boolean {
    const { endpoint, writeEvent } = this.#options;
    if (this.#events.length >= endpoint.maxBatch) return false;
    const text = writeEvent(event);
    if (!this.isEmpty && this.#bytes + sizeOf(text) > mostBytes) return false;
    this.#push(event.eventId, text, event.position);
    return true;
  }

  batch(place: Bookmark): NextBatch {
    const body = eventBody(this.#events, this.#options.endpoint.maxBatch);
    return { kind: "batch", batch: { ...body, batchEnd: this.#batchEnd, place } };
  }

  #push(eventId: string, text: string, position: EventPosition): void {
    this.#events.push({ eventId, text });
    this.#bytes += sizeOf(text);
    this.#batchEnd = position;
  }
}

/** With its comma. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}
