import { createHash } from "node:crypto";
import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { EventPosition, LoggedEvent } from "../../../domain/events/event.ts";
import { formatTime } from "../../../domain/times.ts";
import { encodeBase32 } from "../../../platform/base32.ts";

/**
 * Tells a receiver that events have left the log before they could be sent. It is made from what it tells, so it
 * is the same in every request, and stands in no log.
 */
export function gapEvent(
  { accountId, endpointId }: EventEndpoint,
  after: EventPosition,
  firstLeft: LoggedEvent,
): { readonly eventId: string; readonly text: string } {
  const facts = [accountId, endpointId, after, firstLeft.eventId].join(" ");
  const hash = createHash("sha256").update(facts).digest();
  const eventId = `evt_${encodeBase32(hash.subarray(0, 16))}`;
  const text = JSON.stringify({
    specversion: "1.0",
    id: eventId,
    source: `/accounts/${accountId}`,
    type: "postdate.gap.v1",
    subject: `event-endpoints/${endpointId}`,
    // That of the first event after the gap.
    time: formatTime(firstLeft.time),
    datacontenttype: "application/json",
    data: {
      endpoint: { endpointId, statusCode: null },
      gap: { events: firstLeft.position - 1 - after },
    },
  });
  return { eventId, text };
}
