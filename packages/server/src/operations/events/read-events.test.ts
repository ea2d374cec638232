import { expect, test } from "vitest";
import type { Caller } from "../../domain/access.ts";
import type { EventEndpoint } from "../../domain/events/event-endpoint.ts";

import type { LoggedEvent } from "../../domain/events/event.ts";
import { markOf } from "../../domain/events/bookmark.ts";
import { positionText } from "../../domain/events/position-text.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { systemTimers } from "../../platform/timers.ts";
import { ListeningPlaces } from "./listening-places.ts";
import { eventReadPlaces, readEvents } from "./read-events.ts";
import type { EventsRequest } from "./read-events.ts";

const endpoint: EventEndpoint = {
  ...{ accountId: "a", endpointId: "e", kind: "stream", revision: 1, startPosition: 0 },
  ...{ filter: { types: ["job.ended"], targetIds: null, labels: null }, maxBatch: 1 },
  ...{ sealedSettings: null, sealedSecrets: null, disabledTime: null, paused: false },
  ...{ creationTime: 1, updateTime: 1, progress: null },
};

const logLength = 4_000;

/** A log of which every `every`th event is for the endpoint. */
function logOf(every: number, onRead: () => Promise<void> | void = () => {}) {
  const log = Array.from({ length: logLength }, (_, index): LoggedEvent => {
    const position = index + 1;
    const type = position % every === 0 ? "job.ended" : "message.scheduled";
    return {
      accountId: "a",
      eventId: `evt_${position}`,
      position,
      type,
      time: 0,
      targetId: null,
      data: {},
    };
  });
  const reads: number[] = [];
  const markAt = (position: number) => (position === 0 ? null : markOf(log[position - 1]!));
  const span = { removedUpTo: 0, last: logLength };
  const ended = new AbortController();
  const reading = {
    ended: ended.signal,
    follow: async () => ({
      span,
      endpoint: () => endpoint,
      after: async () => {},
      leave() {},
      async read(after: number, limit: number) {
        reads.push(limit);
        await onRead();
        return { ...span, events: log.slice(after, after + limit), mark: markAt(after) };
      },
    }),
  };
  return { reading, reads, ended };
}

interface Call extends Partial<EventsRequest> {
  readonly listeningPlaces?: ListeningPlaces;
  readonly eventReadsInTurn?: PlacesInTurn;
  /** Of each event. */
  readonly length?: number;
}

function read(
  { reading }: ReturnType<typeof logOf>,
  {
    listeningPlaces = new ListeningPlaces({ places: 10 }),
    eventReadsInTurn = new PlacesInTurn(eventReadPlaces),
    length = 100,
    ...request
  }: Call = {},
) {
  const writeEvent = () => "x".repeat(length);
  return readEvents(
    { reading, listeningPlaces, eventReadsInTurn, writeEvent, timers: systemTimers },
    { accountId: "a" } as Caller,
    "e",
    {
      ...{ from: "oldest", problems: [], callerGone: new AbortController().signal, onWait() {} },
      ...request,
    },
  );
}

test.each([
  [6_000, 167],
  [1_100_000, 1],
])("an answer of events with %i characters ends behind the first million", async (length, most) => {
  const log = logOf(1);
  const first = await read(log, { limit: 1_000, length });
  expect(first.events).toHaveLength(most);
  expect(first.nextPlace.position).toBe(most);
  const from = undefined;
  const after = positionText(first.nextPlace);
  const { events } = await read(log, { limit: 1_000, length, from, after });
  expect(events[0]!.position).toBe(most + 1);
});

test("an account gathers two answers at once, however many it asks for", async () => {
  let [reading, mostReading] = [0, 0];
  const log = logOf(400, async () => {
    mostReading = Math.max(mostReading, ++reading);
    await new Promise(setImmediate);
    reading--;
  });
  const eventReadsInTurn = new PlacesInTurn(eventReadPlaces);
  const calls = Array.from({ length: 20 }, () => read(log, { limit: 10, eventReadsInTurn }));
  for (const { events } of await Promise.all(calls)) expect(events).toHaveLength(10);
  expect(mostReading).toBe(2);
});

test("a small limit reads many events of the log at once", async () => {
  const log = logOf(3_990);
  const { events, nextPlace } = await read(log, { limit: 1 });
  expect(events.map(({ position }) => position)).toEqual([3_990]);
  expect(nextPlace.position).toBeGreaterThanOrEqual(3_990);
  expect(log.reads.length).toBeLessThan(25);
});

test("a page with more than the limit is cut behind the last event that is given", async () => {
  const log = logOf(2);
  const seen: number[] = [];
  for (let from = "oldest", calls = 0; calls < 30; calls++) {
    const { events, nextPlace } = await read(log, { limit: 7, from });
    expect(events).toHaveLength(7);
    seen.push(...events.map(({ position }) => position));
    from = positionText(nextPlace);
  }
  expect(seen).toEqual(Array.from({ length: 210 }, (_, index) => (index + 1) * 2));
});

test("nobody looks on for a caller who has hung up, or when the server stops", async () => {
  const gone = new AbortController();
  const left = logOf(logLength, () => gone.abort());
  await read(left, { limit: 1, callerGone: gone.signal });
  expect(left.reads).toHaveLength(1);
  const stopping = logOf(logLength, () => stopping.ended.abort());
  await read(stopping, { limit: 1 });
  expect(stopping.reads).toHaveLength(1);
});

test("who looks on takes a place for that, and without one is told how far it came", async () => {
  let most = 0;
  const counted = new ListeningPlaces({
    places: 10,
    onTaken: (count) => void (most = Math.max(most, count)),
  });
  const whole = await read(logOf(logLength), { limit: 1, listeningPlaces: counted });
  expect([whole.nextPlace.position, most]).toEqual([logLength, 1]);
  // It was given back: an account never gets the last of two places.
  const two = new ListeningPlaces({ places: 2 });
  await read(logOf(logLength), { limit: 1, listeningPlaces: two });
  two.take("a");

  const log = logOf(logLength);
  const { events, nextPlace } = await read(log, { limit: 1, listeningPlaces: two });
  expect([events, log.reads.length]).toEqual([[], 1]);
  expect(nextPlace.position).toBe(log.reads[0]);
});
