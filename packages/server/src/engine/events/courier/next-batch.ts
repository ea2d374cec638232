import { createHash } from "node:crypto";
import { isWanted } from "../../../domain/events/event-endpoint.ts";
import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { EventPosition, LoggedEvent } from "../../../domain/events/event.ts";
import { encodeBase32 } from "../../../platform/base32.ts";
import type { EventPage } from "../../../storage/store.ts";
import { gapEvent } from "./gap-event.ts";

/** What one request tells. */
export interface EventBatch {
  /** `webhook-id`: made from the ids of the events, so it is the same for the same events. */
  readonly postId: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly batchEnd: EventPosition;
  /** Everything up to here is done with after a success. */
  readonly position: EventPosition;
}

export type NextBatch =
  | { readonly kind: "batch"; readonly batch: EventBatch }
  /** Nothing up to here is for the endpoint. There may be more behind it. */
  | { readonly kind: "skipped"; readonly position: EventPosition }
  /** The account is gone, or the endpoint is not as it was. */
  | { readonly kind: "outdated" };

export interface NextBatchOptions {
  readonly endpoint: EventEndpoint;
  /** Everything up to here is done with. */
  readonly after: EventPosition;
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
  let position = after;
  for (let limit = Math.max(maxBatch, firstPage); ; limit = furtherPages) {
    const page = await readEvents(accountId, { after: position, limit });
    if (page === undefined) return { kind: "outdated" };
    const [first] = page.events;
    if (first === undefined) break;
    // What was gathered is sent first, even if events behind it have left the log meanwhile.
    if (first.position > position + 1 && !gathered.isEmpty) break;
    if (first.position > position + 1) {
      gathered.addGap(position, first);
      position = first.position - 1;
      if (until !== null && until <= position) until = null;
    }
    for (const event of page.events) {
      if (until !== null && event.position > until) {
        if (!gathered.isEmpty) return gathered.batch(position);
        // The filter has changed, or the events have left the log.
        until = null;
      }
      if (isWanted(endpoint.filter, event) && !gathered.add(event)) return gathered.batch(position);
      position = event.position;
    }
    const isWhole = until === null || position >= until;
    if (isWhole && (!gathered.isEmpty || position - after >= mostLookedAt)) break;
    if (position >= page.last) break;
  }
  return gathered.isEmpty ? { kind: "skipped", position } : gathered.batch(position);
}

class Gathered {
  readonly #options: NextBatchOptions;
  readonly #ids: string[] = [];
  readonly #texts: string[] = [];
  #bytes = 0;
  #batchEnd = 0;

  constructor(options: NextBatchOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#ids.length === 0;
  }

  /** The events between the position and the first that is left are gone. */
  addGap(after: EventPosition, first: LoggedEvent): void {
    const { eventId, text } = gapEvent(this.#options.endpoint, after, first);
    this.#push(eventId, text, first.position - 1);
  }

  /** False: the request is full. */
  add(event: LoggedEvent): boolean {
    const { endpoint, writeEvent } = this.#options;
    if (this.#ids.length >= endpoint.maxBatch) return false;
    const text = writeEvent(event);
    if (!this.isEmpty && this.#bytes + sizeOf(text) > mostBytes) return false;
    this.#push(event.eventId, text, event.position);
    return true;
  }

  batch(position: EventPosition): NextBatch {
    const isSingle = this.#options.endpoint.maxBatch === 1;
    const joined = this.#texts.join(",");
    return {
      kind: "batch",
      batch: {
        postId: isSingle ? this.#ids[0]! : idOfAll(this.#ids),
        contentType: `application/cloudevents${isSingle ? "" : "-batch"}+json`,
        body: Buffer.from(isSingle ? joined : `[${joined}]`),
        batchEnd: this.#batchEnd,
        position,
      },
    };
  }

  #push(eventId: string, text: string, position: EventPosition): void {
    this.#ids.push(eventId);
    this.#texts.push(text);
    this.#bytes += sizeOf(text);
    this.#batchEnd = position;
  }
}

/** With its comma. */
function sizeOf(text: string): number {
  return Buffer.byteLength(text) + 1;
}

function idOfAll(eventIds: readonly string[]): string {
  const hash = createHash("sha256").update(eventIds.join(" ")).digest();
  return `batch_${encodeBase32(hash.subarray(0, 16))}`;
}
