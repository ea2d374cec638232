import { expect, test } from "vitest";
import { createdEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { EventEndpoint, EventFilter } from "../../../domain/events/event-endpoint.ts";
import type { LoggedEvent } from "../../../domain/events/event.ts";
import { markOf } from "../../../domain/events/bookmark.ts";
import type { EventType } from "../../../domain/events/event-types.ts";
import { nextBatch } from "./next-batch.ts";

const wanted: EventType = "message.dead_lettered";
const unwanted: EventType = "message.delivered";
const all: EventFilter = { types: [wanted], targetIds: null, labels: null };

function endpoint(change: Partial<EventEndpoint> = {}, batchEnd: number | null = null) {
  const made = createdEndpoint(
    {
      accountId: "acc",
      endpointId: "e",
      kind: "webhook",
      filter: all,
      sealedSettings: "",
      sealedSecrets: "",
      maxBatch: 3,
    },
    0,
    0,
  );
  return { ...made, progress: { ...made.progress!, batchEnd }, ...change };
}

function eventsOf(types: readonly EventType[]): LoggedEvent[] {
  return types.map((type, index) => ({
    accountId: "acc",
    eventId: `evt_${index + 1}`,
    position: index + 1,
    type,
    time: index,
    targetId: null,
    data: {},
  }));
}

interface Look {
  readonly after?: number;
  readonly mark?: string | null;
  readonly removedUpTo?: number;
  readonly length?: number;
}

/** The next batch of a log with these events, and how many were read for it. */
async function look(
  of: EventEndpoint,
  types: readonly EventType[],
  { after = 0, mark = null, removedUpTo = 0, length = 10 }: Look = {},
) {
  let read = 0;
  const all = eventsOf(types);
  const log = all.slice(removedUpTo);
  const next = await nextBatch({
    endpoint: of,
    after: { position: after, mark },
    async readEvents(_accountId, page) {
      const events = log.filter(({ position }) => position > page.after).slice(0, page.limit);
      read += events.length;
      const at = Math.max(page.after, removedUpTo);
      const marked = all[at - 1];
      return { events, removedUpTo, last: types.length, mark: marked ? markOf(marked) : null };
    },
    writeEvent: ({ eventId }) => JSON.stringify({ id: eventId, text: "x".repeat(length) }),
  });
  if (next.kind === "skipped") return { kind: next.kind, ...next.place, read };
  if (next.kind !== "batch") return { ...next, read };
  const { body, place, ...batch } = next.batch;
  const told = JSON.parse(body.toString());
  const ids = (Array.isArray(told) ? told : [told]).map(({ id }: { id: string }) => id);
  return { kind: next.kind, ...batch, ...place, told, ids, read };
}

test("a single event is the body itself, and its id is the request's", async () => {
  const next = await look(endpoint({ maxBatch: 1 }), [unwanted, wanted, wanted]);
  expect(next).toMatchObject({
    postId: "evt_2",
    contentType: "application/cloudevents+json",
    told: { id: "evt_2" },
    batchEnd: 2,
    position: 2,
  });
});

test("several are a list, and the request has an id of its own", async () => {
  const next = await look(endpoint(), [wanted, unwanted, wanted, unwanted]);
  expect(next).toMatchObject({
    postId: expect.stringMatching(/^batch_[0-9a-z]{26}$/),
    contentType: "application/cloudevents-batch+json",
    ids: ["evt_1", "evt_3"],
    batchEnd: 3,
    position: 4,
  });
});

test("a list with one event is a list", async () => {
  expect(await look(endpoint(), [wanted])).toMatchObject({ told: [{ id: "evt_1" }] });
});

test("a request has no more than the batch allows, and no more than fits", async () => {
  const five = Array.from({ length: 5 }, () => wanted);
  expect(await look(endpoint(), five)).toMatchObject({ batchEnd: 3, position: 3 });
  const length = 130_000;
  expect(await look(endpoint(), five, { length })).toMatchObject({ batchEnd: 1, position: 1 });
});

test("the request that has failed is made again, although there is more by now", async () => {
  const five = Array.from({ length: 5 }, () => wanted);
  const first = await look(endpoint({ maxBatch: 5 }), five.slice(0, 2));
  const again = await look(endpoint({ maxBatch: 5 }, 2), five);
  expect(again).toMatchObject({ ids: ["evt_1", "evt_2"], batchEnd: 2, position: 2 });
  expect(again).toMatchObject({ postId: "postId" in first && first.postId });
  // Also from a place before it, as another node would, and over the ends of pages.
  const far = [...Array.from({ length: 30 }, () => unwanted), wanted, ...five];
  const late = [...Array.from({ length: 19 }, () => unwanted), wanted, ...far];
  const whole = await look(endpoint({ maxBatch: 5 }, 51), late);
  expect(whole).toMatchObject({ ids: ["evt_20", "evt_51"], batchEnd: 51 });
});

test("a batch that the filter no longer lets through gives way to the next", async () => {
  const next = await look(endpoint({}, 2), [unwanted, unwanted, wanted]);
  expect(next).toMatchObject({ ids: ["evt_3"], batchEnd: 3 });
});

test("what nobody wants is skipped, and not endlessly at once", async () => {
  const many = Array.from({ length: 10_000 }, () => unwanted);
  expect(await look(endpoint(), [unwanted, unwanted])).toMatchObject({
    kind: "skipped",
    position: 2,
  });
  expect(await look(endpoint(), many)).toMatchObject({ kind: "skipped", read: 2_020 });
  expect(await look(endpoint(), [])).toMatchObject({ kind: "skipped", position: 0 });
});

test("events that have left the log are told as a gap, once and the same each time", async () => {
  const five = Array.from({ length: 5 }, () => wanted);
  const next = await look(endpoint(), five, { after: 1, removedUpTo: 3 });
  expect(next).toMatchObject({
    told: [
      {
        specversion: "1.0",
        id: expect.stringMatching(/^evt_/),
        source: "/accounts/acc",
        type: "postdate.gap.v1",
        subject: "event-endpoints/e",
        time: "1970-01-01T00:00:00.003Z",
        data: { endpoint: { endpointId: "e", statusCode: null }, gap: { events: 2 } },
      },
      { id: "evt_4" },
      { id: "evt_5" },
    ],
    batchEnd: 5,
  });
  expect(await look(endpoint(), five, { after: 1, removedUpTo: 3 })).toEqual(next);
  const single = await look(endpoint({ maxBatch: 1 }), five, { after: 1, removedUpTo: 3 });
  expect(single).toMatchObject({ batchEnd: 3, position: 3, told: { type: "postdate.gap.v1" } });
  expect(await look(endpoint(), five, { after: 5, removedUpTo: 5 })).toMatchObject({
    kind: "skipped",
  });
});

test("a log that was set back to an earlier state is told from one that has grown", async () => {
  const three = [wanted, unwanted, wanted];
  const setBack = { kind: "set back" };
  expect(await look(endpoint(), three, { after: 3, mark: "3" })).toMatchObject({
    ...{ kind: "skipped", position: 3, mark: "3" },
  });
  // It ends before the place, or has another event there.
  expect(await look(endpoint(), three, { after: 4, mark: "4" })).toMatchObject(setBack);
  expect(await look(endpoint(), three, { after: 4 })).toMatchObject(setBack);
  expect(await look(endpoint(), three, { after: 2, mark: "other" })).toMatchObject(setBack);
  // Nobody can tell of an event that has left the log.
  expect(await look(endpoint(), three, { after: 1, mark: "other", removedUpTo: 2 })).toMatchObject({
    kind: "batch",
    position: 3,
    mark: "3",
  });
});

test("a batch remembers what stands at its end", async () => {
  expect(await look(endpoint(), [wanted, unwanted, unwanted])).toMatchObject({
    ...{ kind: "batch", batchEnd: 1, position: 3, mark: "3" },
  });
  // What stands at the place of a new lane is learned by its first look.
  expect(await look(endpoint(), [wanted, wanted], { after: 2 })).toMatchObject({
    ...{ kind: "skipped", position: 2, mark: "2" },
  });
});
