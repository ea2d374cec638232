import { expect, test } from "vitest";
import type { Caller } from "../../domain/access.ts";
import type { EventEndpoint, EventFilter } from "../../domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../domain/events/event.ts";
import { ListeningPlaces } from "./listening-places.ts";
import { streamEvents } from "./stream-events.ts";

const filter: EventFilter = { types: ["job.ended"], targetIds: null, labels: null };
const endpoint: EventEndpoint = {
  ...{ accountId: "a", endpointId: "e", kind: "stream", revision: 1, startPosition: 0, filter },
  ...{ sealedSettings: null, sealedSecrets: null, disabledTime: null, paused: false },
  ...{ creationTime: 1, updateTime: 1, progress: null, maxBatch: 1 },
};

test("a stream that has nothing to tell says how far it has looked", async () => {
  const log = Array.from({ length: 120 }, (_, index): LoggedEvent => ({
    ...{ accountId: "a", eventId: `evt_${index}`, position: index + 1, time: 0, targetId: null },
    ...{ type: "message.scheduled", data: {} },
  }));
  const span = { removedUpTo: 0, last: log.length };
  let passTime = (): void => {};
  const options = {
    reading: {
      ended: new AbortController().signal,
      follow: async () => ({
        span,
        endpoint: () => endpoint,
        after: async () => passTime(),
        leave() {},
        read: async (after: number, limit: number) => ({
          ...span,
          events: log.slice(after, after + limit),
          mark: log[after - 1]?.eventId.slice(4) ?? null,
        }),
      }),
    },
    listeningPlaces: new ListeningPlaces({ places: 10 }),
    timers: {
      after(_: number, callback: () => void) {
        passTime = callback;
        return { cancel() {} };
      },
    },
  };
  const caller = { accountId: "a" } as Caller;
  const stream = await streamEvents(options, caller, "e", { from: "oldest", problems: [] });
  expect(await stream.next(15_000)).toEqual({
    kind: "quiet",
    place: { position: 120, mark: "119" },
  });
  stream.leave();
});
