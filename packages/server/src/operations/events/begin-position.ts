import type { Bookmark } from "../../domain/events/bookmark.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";
import type { EventPosition } from "../../domain/events/event.ts";
import { readPositionText } from "../../domain/events/position-text.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { LogSpan } from "../../storage/store.ts";

/** Where a reader begins: a place, the oldest event that there is, or what happens from now on. */
export type GivenBegin = Bookmark | "oldest" | "now";

export function readGivenBegin(
  text: string | undefined,
  field: string,
  problems: Problem[],
): GivenBegin {
  if (text === undefined) return "now";
  const begin = text === "oldest" && field === "from" ? text : readPositionText(text);
  if (begin !== undefined) return begin;
  problems.push({ code: codes.invalidRequest, message: noPosition(text, field), field });
  return "now";
}

function noPosition(text: string, field: string): string {
  const oldest = field === "from" ? ', or "oldest"' : "";
  const message = `${field} is no position. Send one as the service has given it${oldest}, or leave it out to begin now.`;
  return text === "oldest"
    ? `${message} To begin with the oldest event, send from=oldest in place of ${field}.`
    : message;
}

/** Whether the log still has what follows a given place is seen when it is read. */
export function beginPlace(
  begin: GivenBegin,
  endpoint: Pick<EventEndpoint, "startPosition">,
  span: LogSpan,
): Bookmark {
  if (begin === "now") return { position: span.last, mark: null };
  if (begin === "oldest") return { position: oldestPosition(endpoint, span), mark: null };
  return begin;
}

export function oldestPosition(
  { startPosition }: Pick<EventEndpoint, "startPosition">,
  { removedUpTo }: LogSpan,
): EventPosition {
  return Math.max(startPosition, removedUpTo);
}
