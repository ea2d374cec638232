import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../domain/events/event.ts";
import { readPositionText } from "../../domain/events/position-text.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { LogSpan } from "../../storage/store.ts";

/** Where a reader begins: a place, the oldest event that there is, or what happens from now on. */
export type GivenBegin = EventPosition | "oldest" | "now";

export function readGivenBegin(
  text: string | undefined,
  field: string,
  problems: Problem[],
): GivenBegin {
  if (text === undefined) return "now";
  const begin = text === "oldest" && field === "from" ? text : readPositionText(text);
  if (begin !== undefined) return begin;
  problems.push({
    code: codes.invalidRequest,
    message: `${field} is no position. Send one as the service has given it${field === "from" ? ', or "oldest"' : ""}, or leave it out to begin now.`,
    field,
  });
  return "now";
}

/** The events after the position are gone, or are not those that followed when it was given. */
export type Gone = "gone";

export function beginPosition(
  begin: GivenBegin,
  endpoint: Pick<EventEndpoint, "startPosition">,
  span: LogSpan,
): EventPosition | Gone {
  if (begin === "now") return span.last;
  if (begin === "oldest") return oldestPosition(endpoint, span);
  // What happened before the endpoint was created was never for it, so nothing of that is missing.
  const position = Math.max(begin, endpoint.startPosition);
  return isInLog(position, span) ? position : "gone";
}

export function oldestPosition(
  { startPosition }: Pick<EventEndpoint, "startPosition">,
  { removedUpTo }: LogSpan,
): EventPosition {
  return Math.max(startPosition, removedUpTo);
}

export function isInLog(position: EventPosition, { removedUpTo, last }: LogSpan): boolean {
  return removedUpTo <= position && position <= last;
}
