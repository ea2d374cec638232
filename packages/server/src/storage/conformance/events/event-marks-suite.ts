import { expect, test } from "vitest";
import { markOf } from "../../../domain/events/bookmark.ts";
import type { Store } from "../../store.ts";
import { account, farFuture, hour, otherAccount, schedule, scheduleMany } from "../harness.ts";
import { minute, noon } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import { createEndpoint, eventWorldsOf, logOf, moveAll, newEndpoint } from "./event-harness.ts";

/** A page tells which event it follows, so that a reader's place is known in a log that was set back. */
export function eventMarksSuite(makeLocation: MakeClockedLocation): void {
  const open = eventWorldsOf(makeLocation);
  const markAfter = async (store: Store, after: number, accountId = account) =>
    (await store.readEvents(accountId, { after, limit: 3 }))!.mark;

  test("a page has the mark of the event before it, wherever it begins", async () => {
    const world = await open();
    const { store } = world;
    await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
    expect(await markAfter(store, 0)).toBeNull();
    await scheduleMany(store, "t", 150);
    await schedule(store, "t", farFuture, { accountId: otherAccount });
    const [mine, theirs] = [await logOf(store), await logOf(store, otherAccount)];
    expect(new Set(mine.map(markOf)).size).toBe(150);
    for (const after of [1, 50, 99, 100, 101, 149, 150]) {
      expect(await markAfter(store, after)).toBe(markOf(mine[after - 1]!));
    }
    expect(await markAfter(store, 0)).toBeNull();
    expect(await markAfter(store, 151)).toBeNull();
    expect(await markAfter(store, 1, otherAccount)).toBe(markOf(theirs[0]!));
    await world.reopen();
    expect(await markAfter(world.store, 100)).toBe(markOf(mine[99]!));
  });

  test("the mark of the last event that has left the log stays", async () => {
    const world = await open({ eventRetentionMs: hour });
    const { store } = world;
    await scheduleMany(store, "t", 150);
    const all = await logOf(store);
    await world.goTo(noon + hour);
    for (const [most, removedUpTo] of [
      [30, 30],
      [70, 100],
      [9, 109],
      [99, 150],
    ] as const) {
      await store.removeOldEvents(most);
      const mark = markOf(all[removedUpTo - 1]!);
      const page = await store.readEvents(account, { after: 7, limit: 1 });
      expect(page).toMatchObject({ removedUpTo, mark });
      expect(await markAfter(store, removedUpTo)).toBe(mark);
    }
    // There is nothing more to remove, and it still stays.
    await world.pass(minute);
    await store.removeOldEvents(9);
    await schedule(store, "t", farFuture);
    await moveAll(store);
    expect(await markAfter(store, 150)).toBe(markOf(all[149]!));
    await world.reopen();
    expect(await markAfter(world.store, 0)).toBe(markOf(all[149]!));
  });

  test("the marks of many positions are read at once, of those that the log has", async () => {
    const world = await open({ eventRetentionMs: hour });
    const { store } = world;
    expect(await store.marksAt("acc_nobody", [1])).toBeUndefined();
    expect(await store.marksAt(account, [0, 7])).toEqual({
      ...{ removedUpTo: 0, last: 0, marks: [null, null] },
    });
    await createEndpoint(store, newEndpoint("theirs", { accountId: otherAccount }));
    await scheduleMany(store, "t", 150);
    await schedule(store, "t", farFuture, { accountId: otherAccount });
    const all = await logOf(store);
    const marked = (position: number): string => markOf(all[position - 1]!);
    expect(await store.marksAt(account, [150, 0, 1, 100, 101, 151, 1])).toEqual({
      removedUpTo: 0,
      last: 150,
      marks: [marked(150), null, marked(1), marked(100), marked(101), null, marked(1)],
    });
    expect(await store.marksAt(account, [])).toEqual({ removedUpTo: 0, last: 150, marks: [] });
    await world.goTo(noon + hour);
    await store.removeOldEvents(100);
    expect(await store.marksAt(account, [99, 100, 101])).toEqual({
      removedUpTo: 100,
      last: 150,
      marks: [null, marked(100), marked(101)],
    });
  });
}
