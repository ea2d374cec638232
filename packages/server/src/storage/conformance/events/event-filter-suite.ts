import { describe, expect, test } from "vitest";
import { isWanted } from "../../../domain/events/event-endpoint.ts";
import {
  account,
  farFuture,
  makeTarget,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
} from "../harness.ts";
import { hourly, minute } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import {
  changeEndpoint,
  createEndpoint,
  eventWorldsOf,
  logOf,
  moveAll,
  newEndpoint,
  removeEndpoint,
  toldAbout,
  typesAbout,
} from "./event-harness.ts";

/** Only what somebody subscribes to is written. */
export function eventFilterSuite(makeLocation: MakeClockedLocation): void {
  const openAny = eventWorldsOf(makeLocation);
  const open = () => openAny({ isSilent: true });

  test("without an endpoint nothing is written", async () => {
    const world = await open();
    const { store } = world;
    const message = await schedule(store, "t", farFuture);
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    await world.create("s");
    await makeTarget(store, "x");
    await moveAll(store);
    expect(await store.readEvents(account, { after: 0, limit: 9 })).toEqual({
      ...{ removedUpTo: 0, last: 0, events: [], mark: null },
    });
  });

  test("an endpoint of one account tells nothing of another", async () => {
    const { store } = await open();
    await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
    await schedule(store, "t", farFuture);
    const { messageId } = await schedule(store, "t", farFuture, { accountId: otherAccount });
    expect(await logOf(store)).toEqual([]);
    expect(await toldAbout(store, messageId, otherAccount)).toEqual(["message.scheduled"]);
    expect(await logOf(store, otherAccount)).toMatchObject([{ accountId: otherAccount }]);
  });

  test("an endpoint that names no types is told all but the busiest two", async () => {
    const world = await open();
    const { store, holder } = world;
    await createEndpoint(store, newEndpoint("e", { filter: { types: null } }));
    const { messageId } = await schedule(store, "t", past);
    const [first] = await world.claim();
    await store.recordAttempts(holder, [resultOf(first!, { kind: "retry", delayMs: 0 })]);
    const [second] = await world.claim();
    await store.recordAttempts(holder, [resultOf(second!, { kind: "delivered" })]);
    await world.create("s");
    expect((await logOf(store)).map(({ type }) => type)).toEqual([
      "message.delivered",
      "schedule.created",
    ]);
    expect(await toldAbout(store, messageId)).toEqual(["message.delivered"]);
  });

  test("types are exact or patterns", async () => {
    const world = await open();
    const { store } = world;
    const types = ["message.cancelled", "schedule.*"];
    await createEndpoint(store, newEndpoint("e", { filter: { types } }));
    const message = await schedule(store, "t", farFuture);
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    await makeTarget(store, "x");
    await world.create("s");
    expect((await logOf(store)).map(({ type }) => type)).toEqual([
      "message.cancelled",
      "schedule.created",
    ]);
  });

  test("targets: of others nothing is written, and of none only what concerns none", async () => {
    const world = await open();
    const { store } = world;
    await createEndpoint(store, newEndpoint("e", { filter: { targetIds: ["t", "later"] } }));
    await schedule(store, "other", farFuture);
    const { messageId } = await schedule(store, "t", farFuture);
    await world.create("s", hourly({ targetId: "other" }));
    await makeTarget(store, "elsewhere");
    await makeTarget(store, "later");
    const later = await schedule(store, "later", farFuture);
    const events = await logOf(store);
    expect(events.map(({ targetId }) => targetId)).toEqual(["t", "later", "later"]);
    expect(typesAbout(events, messageId)).toEqual(["message.scheduled"]);
    expect(typesAbout(events, "later")).toEqual(["target.created"]);
    expect(typesAbout(events, later.messageId)).toEqual(["message.scheduled"]);
  });

  test("several endpoints: what any of them wants is written once", async () => {
    const { store } = await open();
    const one = { types: ["message.scheduled"], targetIds: ["t"] };
    await createEndpoint(store, newEndpoint("one", { filter: one }));
    const two = { types: ["message.cancelled"] };
    await createEndpoint(store, newEndpoint("two", { filter: two }));
    await createEndpoint(store, newEndpoint("three", { filter: one }));
    for (const targetId of ["t", "other"]) {
      const message = await schedule(store, targetId, farFuture);
      await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    }
    expect((await logOf(store)).map(({ type, targetId }) => [type, targetId])).toEqual([
      ["message.scheduled", "t"],
      ["message.cancelled", "t"],
      ["message.cancelled", "other"],
    ]);
  });

  test("labels are looked at by who reads", async () => {
    const { store } = await open();
    const filter = { types: ["message.*"], targetIds: null, labels: { a: "b" } };
    await createEndpoint(store, newEndpoint("e", { filter }));
    const mine = await schedule(store, "t", farFuture, { options: { labels: { a: "b", c: "d" } } });
    await schedule(store, "t", farFuture, { options: { labels: { a: "x" } } });
    await schedule(store, "t", farFuture);
    const events = await logOf(store);
    expect(events).toHaveLength(3);
    const wanted = events.filter((event) => isWanted(filter, event));
    expect(wanted.map(({ data }) => data.message!.messageId)).toEqual([mine.messageId]);
  });

  describe("changes of endpoints", () => {
    test("count for what happens after them", async () => {
      const { store } = await open();
      await schedule(store, "t", farFuture);
      const created = await createEndpoint(
        store,
        newEndpoint("e", { filter: { types: ["message.scheduled"] } }),
      );
      expect(created.startPosition).toBe(0);
      const message = await schedule(store, "t", farFuture);
      await store.cancelMessage({ ...refTo(message), waitMs: 0 });
      const filter = { types: ["message.cancelled"], targetIds: null, labels: null };
      await changeEndpoint(store, "e", { filter });
      const second = await schedule(store, "t", farFuture);
      await store.cancelMessage({ ...refTo(second), waitMs: 0 });
      await removeEndpoint(store, "e");
      const third = await schedule(store, "t", farFuture);
      await store.cancelMessage({ ...refTo(third), waitMs: 0 });
      const events = await logOf(store);
      expect(events.map(({ type }) => type)).toEqual(["message.scheduled", "message.cancelled"]);
      expect(typesAbout(events, message.messageId)).toEqual(["message.scheduled"]);
      expect(typesAbout(events, second.messageId)).toEqual(["message.cancelled"]);
      const next = await createEndpoint(store, newEndpoint("e"));
      expect(next.startPosition).toBe(2);
    });

    test("leave nothing out that begins after the answer, whatever runs beside them", async () => {
      const { store } = await open();
      const before = Promise.all(
        Array.from({ length: 20 }, (_, index) => schedule(store, "t", farFuture + index)),
      );
      await createEndpoint(store, newEndpoint("e"));
      const after = await Promise.all(
        Array.from({ length: 20 }, (_, index) => schedule(store, "t", farFuture + index)),
      );
      await before;
      const events = await logOf(store);
      for (const { messageId } of after) {
        expect(typesAbout(events, messageId)).toEqual(["message.scheduled"]);
      }
    });

    test("a paused or disabled endpoint is still told", async () => {
      const { store } = await open();
      await createEndpoint(store, newEndpoint("e", { kind: "webhook" }));
      await changeEndpoint(store, "e", { paused: true });
      const { messageId } = await schedule(store, "t", farFuture);
      expect(await toldAbout(store, messageId)).toEqual(["message.scheduled"]);
    });

    test("are kept when the store opens again", async () => {
      const world = await open();
      await createEndpoint(world.store, newEndpoint("e", { filter: { targetIds: ["t"] } }));
      const one = await schedule(world.store, "t", farFuture);
      await logOf(world.store);
      await world.reopen();
      await world.pass(minute);
      const two = await schedule(world.store, "t", farFuture);
      await schedule(world.store, "other", farFuture);
      const events = await logOf(world.store);
      expect(events.map(({ position, time }) => [position, time])).toEqual([
        [1, world.now - minute],
        [2, world.now],
      ]);
      expect(events.map(({ data }) => data.message!.messageId)).toEqual([
        one.messageId,
        two.messageId,
      ]);
    });
  });
}
