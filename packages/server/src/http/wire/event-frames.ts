import { bookmarkOf } from "../../domain/events/bookmark.ts";
import type { LoggedEvent } from "../../domain/events/event.ts";
import { positionText } from "../../domain/events/position-text.ts";
import type { EventStream, StreamPart } from "../../operations/operations.ts";
import type { WriteInTurn } from "./piece-turns.ts";
import { writeEvent } from "./wire-events.ts";

/** Proxies and callers learn from it that the connection lives. */
const commentEveryMs = 15_000;
/** How long a browser waits until it connects again. */
const retryMs = 2_000;
/** In characters. Many small events go in one piece. */
const pieceLength = 16_384;

export interface FramesOptions {
  readonly isAdmitted: () => Promise<boolean>;
  readonly inTurn: WriteInTurn;
}

/**
 * What a stream sends, piece by piece: Server-Sent Events. The next piece is read from the log only when somebody takes
 * it, so a slow reader holds no more than one part in memory. Each piece with events needs a reader who is still admitted.
 */
export async function* framesOf(
  stream: Pick<EventStream, "next">,
  { isAdmitted, inTurn }: FramesOptions,
): AsyncGenerator<string, void, undefined> {
  yield `retry: ${retryMs}\n\n`;
  for (;;) {
    const part: StreamPart = await stream.next(commentEveryMs);
    switch (part.kind) {
      case "events":
        for (const pieces = eventPieces(part.events); ;) {
          const { value: piece } = await inTurn(() => pieces.next());
          if (piece === undefined) break;
          // A slow reader may lose its credential between two pieces.
          if (!(await isAdmitted())) return;
          yield piece;
        }
        break;
      case "gap":
        // Without an id: whoever resumes goes on from the last real event.
        yield `event: postdate.gap\ndata: {"position":"${positionText(part.place)}"}\n\n`;
        break;
      case "quiet":
        // Whoever resumes from here has no gap, however long ago the last event for the endpoint was.
        yield `: at ${positionText(part.place)}\n\n`;
        break;
      case "ended":
        return;
    }
  }
}

/** JSON has no line breaks, so an event is one line of data. */
function* eventPieces(events: readonly LoggedEvent[]): Generator<string, void, undefined> {
  let piece = "";
  for (const event of events) {
    const type = `postdate.${event.type}.v1`;
    const id = positionText(bookmarkOf(event));
    piece += `id: ${id}\nevent: ${type}\ndata: ${writeEvent(event)}\n\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
