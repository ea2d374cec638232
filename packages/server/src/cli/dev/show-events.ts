import type { EventTypePattern, ReadEvent } from "@postdate/client";
import type { Service } from "../connection/service.ts";
import { eventLine, shortType } from "../print/event-line.ts";
import type { Look } from "../terminal/look.ts";
import { readable } from "../terminal/readable.ts";
import { devTargetId } from "./dev-target.ts";

const devEndpointId = "dev";
const everyType: EventTypePattern[] = [
  "message.*",
  "target.*",
  "schedule.*",
  "job.*",
  "endpoint.*",
];
/** The receiver says more about these. */
const received = new Set(["message.delivered", "message.attempt_failed"]);

export interface EventsToShow {
  readonly service: Service;
  readonly signal: AbortSignal;
  readonly look: () => Look;
  readonly write: (line: string) => void;
}

/** Shows what happens in the service, besides the deliveries to the built-in receiver, until the signal. */
export async function showEvents({ service, signal, look, write }: EventsToShow): Promise<void> {
  await service.ask(async ({ events }) => {
    const existing = await events.get(devEndpointId, { signal });
    if (existing === null) {
      const endpoint = { endpointId: devEndpointId, kind: "stream", types: everyType } as const;
      await events.create(endpoint, { signal });
    }
    for await (const event of events.stream(devEndpointId, { signal })) {
      if (!isShownByReceiver(event)) write(lineOf(event, look()));
    }
  });
}

function isShownByReceiver(event: ReadEvent): boolean {
  return received.has(shortType(event)) && event.data.message?.targetId === devTargetId;
}

/** With the time as the lines of deliveries have it. */
function lineOf(event: ReadEvent, look: Look): string {
  const shown = readable(event);
  return eventLine(shown, look, shown.time.slice(11));
}
