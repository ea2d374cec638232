import { describe, expect, test } from "vitest";
import { markOf } from "../../../domain/events/bookmark.ts";
import type { Store } from "../../store.ts";
import {
  account,
  farFuture,
  hour,
  note,
  otherAccount,
  refTo,
  schedule,
  scheduleMany,
} from "../harness.ts";
import { minute, noon } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import {
  createEndpoint,
  eventWorldsOf,
  logOf,
  moveAll,
  newEndpoint,
  newWebhook,
} from "./event-harness.ts";

const spanOf = async (store: Store) => (await store.logSpans([account])).get(account);

export function eventLogSuite(makeLocation: MakeClockedLocation): void {
  const open = eventWorldsOf(makeLocation);

  test("positions are dense from 1 on for each account, and ids are never repeated", async () => {
    const world = await open();
    const { store } = world;
    await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
    for (let index = 0; index < 10; index++) {
      await schedule(store, "t", farFuture);
      if (index % 2 === 0) await schedule(store, "t", farFuture, { accountId: otherAccount });
      if (index % 3 === 0) await moveAll(store);
    }
    const [mine, theirs] = [await logOf(store), await logOf(store, otherAccount)];
    expect(mine.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(theirs.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5]);
    const ids = [...mine, ...theirs].map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(15);
    for (const id of ids) expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
    expect(await logOf(store)).toEqual(mine);
    await world.reopen();
    expect(await logOf(world.store)).toEqual(mine);
  });

  test("pages begin behind a position, and say what there is", async () => {
    const { store } = await open();
    for (let index = 0; index < 5; index++) await schedule(store, "t", farFuture);
    const all = await logOf(store);
    const read = (after: number, limit: number) => store.readEvents(account, { after, limit });
    const span = { removedUpTo: 0, last: 5 };
    expect(await read(0, 2)).toEqual({ ...span, events: all.slice(0, 2), mark: null });
    expect(await read(2, 9)).toEqual({ ...span, events: all.slice(2), mark: markOf(all[1]!) });
    expect(await read(5, 9)).toEqual({ ...span, events: [], mark: markOf(all[4]!) });
    expect(await read(99, 9)).toEqual({ ...span, events: [], mark: null });
    expect(await store.readEvents("acc_nobody", { after: 0, limit: 9 })).toBeUndefined();
    const spans = await store.logSpans([account, otherAccount, "acc_nobody"]);
    expect(Object.fromEntries(spans)).toEqual({
      [account]: span,
      [otherAccount]: { removedUpTo: 0, last: 0 },
    });
    expect((await store.logSpans([])).size).toBe(0);
  });

  test("pages begin and end anywhere among the events of one commit", async () => {
    const { store } = await open();
    const scheduled = await scheduleMany(store, "t", 230);
    await moveAll(store);
    const ids = scheduled.map(({ messageId }) => messageId);
    const all = await store.readEvents(account, { after: 0, limit: 1_000 });
    expect(all!.events.map(({ position }) => position)).toEqual(ids.map((_, index) => index + 1));
    expect(new Set(all!.events.map(({ data }) => data.message!.messageId))).toEqual(new Set(ids));
    expect(new Set(all!.events.map(({ eventId }) => eventId)).size).toBe(230);
    for (const [after, limit] of [
      ...[
        [0, 1],
        [99, 1],
        [100, 1],
        [98, 5],
        [150, 100],
        [229, 9],
        [230, 9],
      ],
    ] as const) {
      const page = await store.readEvents(account, { after, limit });
      expect(page!.events).toEqual(all!.events.slice(after, after + limit));
    }
  });

  test("a time is found by the times in the log, also after the clock was set back", async () => {
    const world = await open();
    const { store } = world;
    const times = [0, 10, 10, 20, 5, 15, 30].map((minutes) => noon + minutes * minute);
    for (const time of times) {
      await world.goTo(time);
      await schedule(store, "t", farFuture);
      await moveAll(store);
    }
    const found = (minutes: number, ms = 0) =>
      store.findPosition(account, noon + minutes * minute + ms);
    expect(await found(-60)).toBe(0);
    expect(await found(0)).toBe(0);
    expect(await found(0, 1)).toBe(1);
    expect(await found(10)).toBe(1);
    expect(await found(10, 1)).toBe(3);
    expect(await found(15)).toBe(3);
    expect(await found(20)).toBe(3);
    // Everything of this instant or later stands behind it.
    expect(await found(20, 1)).toBe(6);
    expect(await found(30)).toBe(6);
    expect(await found(31)).toBe(7);
    expect(await store.findPosition(otherAccount, noon)).toBe(0);
    expect(await store.findPosition("acc_nobody", noon)).toBe(0);
  });

  describe("retention", () => {
    test("old events leave the log from its beginning, in batches, and positions go on", async () => {
      const world = await open({ eventRetentionMs: hour });
      const { store } = world;
      const remove = (limit: number) => store.removeOldEvents(limit);
      expect(await remove(9)).toEqual({ removed: 0, nextExpiry: null });
      for (let index = 0; index < 5; index++) {
        await schedule(store, "t", farFuture);
        await world.pass(minute);
      }
      await moveAll(store);
      const all = await logOf(store);
      expect(await remove(9)).toEqual({ removed: 0, nextExpiry: noon + hour });
      await world.goTo(noon + hour - 1);
      expect(await remove(9)).toEqual({ removed: 0, nextExpiry: noon + hour });
      await world.goTo(noon + hour + 3 * minute);
      expect(await remove(3)).toMatchObject({ removed: 3 });
      expect(await spanOf(store)).toEqual({ removedUpTo: 3, last: 5 });
      expect(await remove(3)).toEqual({ removed: 1, nextExpiry: noon + hour + 4 * minute });
      expect(await store.readEvents(account, { after: 0, limit: 9 })).toEqual({
        ...{ removedUpTo: 4, last: 5, events: all.slice(4), mark: markOf(all[3]!) },
      });
      expect(await store.findPosition(account, noon)).toBe(4);
      await world.goTo(noon + 2 * hour);
      expect(await remove(9)).toEqual({ removed: 1, nextExpiry: null });
      expect(await spanOf(store)).toEqual({ removedUpTo: 5, last: 5 });
      expect(await store.findPosition(account, noon)).toBe(5);
      await schedule(store, "t", farFuture);
      const [next] = await logOf(store);
      expect(next!.position).toBe(6);
      expect(await remove(9)).toEqual({ removed: 0, nextExpiry: noon + 3 * hour });
    });

    test("some of the events of one commit may leave the log before the others", async () => {
      const world = await open({ eventRetentionMs: hour });
      const { store } = world;
      await scheduleMany(store, "t", 150);
      await moveAll(store);
      const all = await logOf(store);
      await world.pass(minute);
      await schedule(store, "t", farFuture);
      await moveAll(store);
      await world.goTo(noon + hour);
      const more = noon + hour;
      expect(await store.removeOldEvents(30)).toEqual({ removed: 30, nextExpiry: more });
      expect(await store.removeOldEvents(101)).toEqual({ removed: 101, nextExpiry: more });
      expect(await spanOf(store)).toEqual({ removedUpTo: 131, last: 151 });
      expect((await logOf(store)).slice(0, 19)).toEqual(all.slice(131));
      expect(await store.readEvents(account, { after: 0, limit: 2 })).toMatchObject({
        events: [{ position: 132 }, { position: 133 }],
      });
      expect(await store.findPosition(account, noon)).toBe(131);
      expect(await store.findPosition(account, noon + minute)).toBe(150);
      expect(await store.removeOldEvents(99)).toEqual({
        removed: 19,
        nextExpiry: noon + hour + minute,
      });
      expect(await store.findPosition(account, noon + minute)).toBe(150);
    });

    test("beyond so many the oldest go however young they are, and only of that account", async () => {
      const world = await open({ eventRetentionMs: hour, eventLimit: 120 });
      const { store } = world;
      await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
      await scheduleMany(store, "t", 120);
      for (let index = 0; index < 3; index++) {
        await schedule(store, "t", farFuture, { accountId: otherAccount });
      }
      await moveAll(store);
      const ownExpiry = noon + hour;
      expect(await store.removeOldEvents(99)).toEqual({ removed: 0, nextExpiry: ownExpiry });
      const all = await logOf(store);
      await world.pass(minute);
      await scheduleMany(store, "t", 30);
      await moveAll(store);
      expect(await store.removeOldEvents(20)).toMatchObject({ removed: 20 });
      expect(await store.removeOldEvents(20)).toEqual({ removed: 10, nextExpiry: ownExpiry });
      expect(await store.removeOldEvents(20)).toEqual({ removed: 0, nextExpiry: ownExpiry });
      expect(await spanOf(store)).toEqual({ removedUpTo: 30, last: 150 });
      expect((await logOf(store)).slice(0, 90)).toEqual(all.slice(30));
      const page = await store.readEvents(account, { after: 0, limit: 1 });
      expect(page).toMatchObject({ removedUpTo: 30, mark: markOf(all[29]!) });
      const theirs = (await store.logSpans([otherAccount])).get(otherAccount);
      expect(theirs).toEqual({ removedUpTo: 0, last: 3 });
      await world.goTo(ownExpiry);
      expect(await store.removeOldEvents(200)).toEqual({
        removed: 93,
        nextExpiry: ownExpiry + minute,
      });
    });

    test("logs of all accounts are looked at, and a new endpoint begins at the end", async () => {
      const world = await open({ eventRetentionMs: hour });
      const { store } = world;
      await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
      await schedule(store, "t", farFuture);
      await schedule(store, "t", farFuture, { accountId: otherAccount });
      await moveAll(store);
      await world.pass(2 * hour);
      expect(await store.removeOldEvents(9)).toEqual({ removed: 2, nextExpiry: null });
      expect(await logOf(store)).toEqual([]);
      const { startPosition, progress } = await createEndpoint(store, newWebhook("new"));
      expect([startPosition, progress!.position]).toEqual([1, 1]);
    });
  });

  describe("accounts", () => {
    test("what happens in a suspended account is told", async () => {
      const world = await open();
      const { store } = world;
      const message = await schedule(store, "t", farFuture);
      await store.updateAccount(account, { state: "SUSPENDED" }, note());
      await store.cancelMessage({ ...refTo(message), waitMs: 0 });
      expect((await logOf(store)).map(({ type }) => type)).toEqual([
        "message.scheduled",
        "message.cancelled",
      ]);
    });

    test("a removed account has no endpoints and no log, and all of it goes", async () => {
      const world = await open();
      const { store } = world;
      await createEndpoint(store, newWebhook("hook"));
      await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
      for (let index = 0; index < 5; index++) await schedule(store, "t", farFuture);
      await schedule(store, "t", farFuture, { accountId: otherAccount });
      await store.updateAccount(account, { state: "SUSPENDED" }, note());
      await store.removeAccount(account, note());
      await moveAll(store);
      expect(await store.listEndpoints(account)).toEqual([]);
      expect(await store.readEvents(account, { after: 0, limit: 9 })).toBeUndefined();
      expect((await store.logSpans([account])).size).toBe(0);
      expect(await store.takeWebhooks(world.holder, 9)).toEqual([]);
      for (let rounds = 0; ; rounds++) {
        const { removed } = await store.removeExpired(3);
        expect(removed).toBeLessThanOrEqual(9);
        if (removed === 0) break;
        expect(rounds).toBeLessThan(100);
      }
      await world.pass(30 * 24 * hour);
      // Only what the other account has left.
      expect(await store.removeOldEvents(99)).toEqual({ removed: 1, nextExpiry: null });
    });
  });
}
