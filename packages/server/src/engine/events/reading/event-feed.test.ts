import { expect, onTestFinished, test } from "vitest";
import type { EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import { systemTimers } from "../../../platform/timers.ts";
import type { EventPage } from "../../../storage/store.ts";
import { EventFeed } from "./event-feed.ts";
import type { SeenSpan } from "./log-watch.ts";

const endpointOf = (endpointId: string, revision = 1): EventEndpoint => ({
  ...{ accountId: "a", endpointId, kind: "stream", revision, startPosition: 0, progress: null },
  ...{ filter: { types: null, targetIds: null, labels: null }, maxBatch: 1, paused: false },
  ...{ sealedSettings: null, sealedSecrets: null, disabledTime: null },
  ...{ creationTime: 1, updateTime: 1 },
});

/** A feed over a store whose looks at endpoints are answered when the test says so. */
function feedOf(page: EventPage = { events: [], removedUpTo: 0, last: 0, mark: null }) {
  let asked = 0;
  let onSpan: (span: SeenSpan) => void = () => {};
  const looks: ((endpoints: EventEndpoint[]) => void)[] = [];
  const feed = new EventFeed({
    store: {
      logSpans: async () => new Map([["a", page]]),
      listEndpoints: () => new Promise((resolve) => void looks.push(resolve)),
      readEvents: async () => page,
    },
    logs: {
      ask: () => ++asked,
      watch(_accountId, listener) {
        onSpan = listener;
        return { close() {} };
      },
    },
    timers: systemTimers,
    observer: {
      trouble(error) {
        throw error;
      },
    },
  });
  onTestFinished(() => feed.stop());
  return {
    feed,
    looks,
    see: (last: number, look: number) => onSpan({ removedUpTo: 0, last, look }),
  };
}

const settled = (): Promise<void> => new Promise(setImmediate);

test("an answer that comes late does not undo a later look", async () => {
  const { feed, looks } = feedOf();
  const following = [feed.follow("a"), feed.follow("a")];
  // The second look was asked after "new" was created, and is answered first.
  looks[1]!([endpointOf("old"), endpointOf("new")]);
  const second = await following[1]!;
  expect(second.endpoint("new")).toBeDefined();
  looks[0]!([endpointOf("old")]);
  await following[0];
  expect(second.endpoint("new")).toBeDefined();

  feed.endpointsChanged("a");
  feed.endpointsChanged("a");
  looks[3]!([endpointOf("new", 2)]);
  looks[2]!([endpointOf("new")]);
  await settled();
  expect(second.endpoint("new")?.revision).toBe(2);
});

test("the endpoints are looked at after the events that they are to choose from", async () => {
  const event = { position: 1 } as EventPage["events"][number];
  const { feed, looks } = feedOf({ events: [event], removedUpTo: 0, last: 1, mark: null });
  const following = feed.follow("a");
  looks[0]!([endpointOf("e")]);
  const follower = await following;
  const reading = Promise.all([follower.read(0, 50), follower.read(0, 50)]);
  await settled();
  // Both readers share the look, as they share the read.
  expect(looks).toHaveLength(2);
  looks[1]!([endpointOf("e", 2)]);
  expect((await reading)[0]?.events).toHaveLength(1);
  expect(follower.endpoint("e")?.revision).toBe(2);
});

test("where there are no events, there is nothing to look at endpoints for", async () => {
  const { feed, looks } = feedOf();
  const following = feed.follow("a");
  looks[0]!([endpointOf("e")]);
  const follower = await following;
  expect((await follower.read(0, 50))?.events).toEqual([]);
  expect(looks).toHaveLength(1);
});

test("of a log that was set back the later look counts, and who waits behind its end looks again", async () => {
  const { feed, looks, see } = feedOf({ events: [], removedUpTo: 0, last: 15, mark: null });
  const following = feed.follow("a");
  looks[0]!([endpointOf("e")]);
  const follower = await following;
  const { signal } = new AbortController();
  let woken = 0;
  const wait = async (position: number): Promise<void> => {
    await follower.after(position, signal);
    woken++;
  };
  const waiting = wait(15);
  // An answer that comes late: the follower has asked after it.
  see(9, 0);
  await settled();
  expect([woken, follower.span.last]).toEqual([0, 15]);
  see(5, 100);
  await waiting;
  expect([woken, follower.span.last]).toEqual([1, 5]);
  see(15, 99);
  expect(follower.span.last).toBe(5);
  // At the end that the log has now there is nothing to look at.
  const atEnd = wait(5);
  await settled();
  expect(woken).toBe(1);
  see(6, 101);
  await atEnd;
});

test("a reader learns of the log's end by what it reads", async () => {
  const page = { events: [], removedUpTo: 0, last: 15, mark: null };
  const { feed, looks } = feedOf(page);
  const following = feed.follow("a");
  looks[0]!([endpointOf("e")]);
  const follower = await following;
  page.last = 5;
  await follower.read(15, 50);
  expect(follower.span.last).toBe(5);
});
