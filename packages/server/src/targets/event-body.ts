import { createHash } from "node:crypto";
import { encodeBase32 } from "../platform/base32.ts";

/** An event as it is sent: a CloudEvent in JSON. */
export interface WrittenEvent {
  readonly eventId: string;
  readonly text: string;
}

/** What one request has. */
export interface EventBody {
  /** `webhook-id`: made from the ids of the events, so it is the same for the same events. */
  readonly postId: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** An event by itself for an endpoint that takes one at a time; a list, also of one, for any other. */
export function eventBody(events: readonly WrittenEvent[], maxBatch: number): EventBody {
  const isSingle = maxBatch === 1;
  const joined = events.map(({ text }) => text).join(",");
  return {
    postId: isSingle ? events[0]!.eventId : idOfAll(events),
    contentType: `application/cloudevents${isSingle ? "" : "-batch"}+json`,
    body: Buffer.from(isSingle ? joined : `[${joined}]`),
  };
}

function idOfAll(events: readonly WrittenEvent[]): string {
  const ids = events.map(({ eventId }) => eventId).join(" ");
  const hash = createHash("sha256").update(ids).digest();
  return `batch_${encodeBase32(hash.subarray(0, 16))}`;
}
