import { describe, expect, test } from "vitest";
import type { BatchOutcome, EventEndpoint } from "../../../domain/events/event-endpoint.ts";
import type { Store } from "../../store.ts";
import { account, farFuture, note, otherAccount, schedule } from "../harness.ts";
import { minute } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "../schedules/schedule-harness.ts";
import {
  changeEndpoint,
  createEndpoint,
  endpointRef,
  eventWorldsOf,
  logOf,
  moveAll,
  newEndpoint,
  newWebhook,
  removeEndpoint,
} from "./event-harness.ts";

const idsOf = (endpoints: readonly { readonly endpointId: string }[]): string[] =>
  endpoints.map(({ endpointId }) => endpointId);

const delivered = (position: number, sent = true): BatchOutcome => ({
  ...{ kind: "delivered", position, mark: null, sent },
});
const failed = (batchEnd: number): BatchOutcome => ({
  ...{ kind: "failed", batchEnd, error: "it said no", delayMs: minute },
});
const gone = (batchEnd: number): BatchOutcome => ({ kind: "gone", batchEnd, statusCode: 410 });

/** Who sends to webhooks, and how far they are. */
export function eventWebhooksSuite(
  makeLocation: MakeClockedLocation,
  { shared }: { readonly shared: boolean },
): void {
  const openAny = eventWorldsOf(makeLocation);

  /** With three events in the log, all after the start of the webhook "w", which the node holds. */
  async function open(): Promise<ScheduleWorld> {
    const world = await openAny({ isSilent: true });
    const { store } = world;
    await createEndpoint(store, newWebhook("w"));
    for (let index = 0; index < 3; index++) await schedule(store, "t", farFuture);
    await moveAll(store);
    return world;
  }

  function record(world: ScheduleWorld, outcome: BatchOutcome, round = 1) {
    return world.store.recordBatch(world.holder, endpointRef("w"), round, outcome);
  }

  const progressOf = async (store: Store) => (await store.getEndpoint(endpointRef("w")))!.progress!;

  describe("are taken", () => {
    test("by the node, some at a time, and again with each call", async () => {
      const { store, holder } = await open();
      await createEndpoint(store, newEndpoint("stream"));
      await createEndpoint(store, newWebhook("x"));
      await createEndpoint(store, newWebhook("theirs", { accountId: otherAccount }));
      const first = await store.takeWebhooks(holder, 1);
      expect(first).toHaveLength(1);
      const second = await store.takeWebhooks(holder, 1);
      expect(second).toHaveLength(2);
      expect(idsOf(second)).toEqual(expect.arrayContaining(idsOf(first)));
      const all = await store.takeWebhooks(holder, 9);
      expect(idsOf(all).toSorted()).toEqual(["theirs", "w", "x"]);
      expect(await store.takeWebhooks(holder, 0)).toHaveLength(3);
      const own = all.find(({ endpointId }) => endpointId === "w");
      expect(own).toEqual(await store.getEndpoint(endpointRef("w")));
    });

    test("by a membership of now", async () => {
      const world = await open();
      const { store, holder } = world;
      expect(await store.takeWebhooks(holder, 9)).toHaveLength(1);
      const next = await store.join("node", "all");
      expect(await store.takeWebhooks(holder, 9)).toEqual([]);
      expect(await record(world, delivered(1))).toBe("stale");
      expect(await store.takeWebhooks(next, 0)).toEqual([]);
      expect(await store.takeWebhooks(next, 9)).toHaveLength(1);
      expect(await record(world, delivered(1))).toBe("stale");
      world.holder = next;
      expect(await record(world, delivered(1))).toMatchObject({ endpointId: "w" });
    });

    test("unless they are paused, disabled or removed, or their account is suspended", async () => {
      const world = await open();
      const { store, holder } = world;
      const taken = async () => idsOf(await store.takeWebhooks(holder, 9));
      expect(await taken()).toEqual(["w"]);
      await changeEndpoint(store, "w", { paused: true });
      expect(await taken()).toEqual([]);
      await changeEndpoint(store, "w", { paused: false });
      expect(await taken()).toEqual(["w"]);
      await store.updateAccount(account, { state: "SUSPENDED" }, note());
      expect(await taken()).toEqual([]);
      await store.updateAccount(account, { state: "ACTIVE" }, note());
      expect(await taken()).toEqual(["w"]);
      await record(world, gone(3));
      expect(await taken()).toEqual([]);
      await changeEndpoint(store, "w", { revived: true });
      expect(await taken()).toEqual(["w"]);
      await removeEndpoint(store, "w");
      expect(await taken()).toEqual([]);
      expect(await record(world, delivered(3))).toBe("stale");
    });

    if (shared) {
      test("by one node, and by another one when that has left or died", async () => {
        const world = await open();
        const { store, holder } = world;
        const other = await world.openAnother();
        const second = await other.join("second", "all");
        expect(await store.takeWebhooks(holder, 9)).toHaveLength(1);
        expect(await other.takeWebhooks(second, 9)).toEqual([]);
        expect(await other.recordBatch(second, endpointRef("w"), 1, delivered(1))).toBe("stale");
        await store.leave(holder);
        expect(await other.takeWebhooks(second, 9)).toHaveLength(1);
        expect(await record(world, delivered(1))).toBe("stale");
        expect(await other.recordBatch(second, endpointRef("w"), 1, delivered(1))).toMatchObject({
          progress: { position: 1 },
        });
      });
    }
  });

  describe("get on", () => {
    test("when a batch is delivered or left out", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      const after = await record(world, delivered(2));
      const progress = {
        ...{ position: 2, batchEnd: null, failures: 0, retryTime: null, lastError: null },
        ...{ lastSuccessTime: world.now, round: 1 },
      };
      expect(after).toMatchObject({ revision: 1, progress });
      expect(await store.getEndpoint(endpointRef("w"))).toEqual(after);
      await world.pass(minute);
      await record(world, delivered(3, false));
      expect(await progressOf(store)).toEqual({ ...progress, position: 3 });
      await world.reopen();
      expect(await progressOf(world.store)).toEqual({ ...progress, position: 3 });
    });

    test("not with what was sent of a log that was set back since", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      const marks = (await store.marksAt(account, [1, 2, 3]))!.marks;
      const [, mark, last] = marks as [string, string, string];
      for (const outcome of [
        // It ends before these, or has another event there.
        ...[delivered(4), delivered(4, false), failed(4), gone(4)],
        ...[
          { ...delivered(2), mark: last },
          { ...delivered(3), mark },
        ],
      ]) {
        expect(await record(world, outcome)).toBe("stale");
      }
      expect(await progressOf(store)).toMatchObject({ position: 0, batchEnd: null });
      const own = { ...delivered(2), mark };
      expect(await record(world, own)).toMatchObject({ progress: { position: 2 } });
      const end = { ...delivered(3), mark: last };
      expect(await record(world, end)).toMatchObject({ progress: { position: 3 } });
    });

    test("and wait after a failure, with the same batch", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      await record(world, failed(2));
      await record(world, failed(2));
      const failing = {
        ...{ position: 0, batchEnd: 2, failures: 2, retryTime: world.now + minute },
        ...{ lastError: "it said no", lastSuccessTime: null, round: 1 },
      };
      expect(await progressOf(store)).toEqual(failing);
      await changeEndpoint(store, "w", { revived: true });
      expect(await progressOf(store)).toEqual({ ...failing, retryTime: null });
      await record(world, delivered(2));
      expect(await progressOf(store)).toMatchObject({
        ...{ position: 2, batchEnd: null, failures: 0, lastError: null },
      });
    });

    test("but not by an answer to a request from before a rewind", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      await record(world, delivered(3));
      await changeEndpoint(store, "w", { position: 1 });
      const before = await store.getEndpoint(endpointRef("w"));
      for (const outcome of [delivered(3), failed(3), gone(3)]) {
        expect(await record(world, outcome)).toBe("stale");
      }
      expect(await store.getEndpoint(endpointRef("w"))).toEqual(before);
      expect(await record(world, delivered(2), 2)).toMatchObject({ progress: { position: 2 } });
    });
  });

  describe("are sent to as they are now:", () => {
    /** The webhook as it is now, which is how the courier knows it until it is changed. */
    const known = async ({ store }: ScheduleWorld) => (await store.getEndpoint(endpointRef("w")))!;

    /** What the holder finds to send, with the webhook as it knows it. */
    function readFor({ store, holder }: ScheduleWorld, { revision, updateTime }: EventEndpoint) {
      const webhook = { holder, endpointId: "w", revision, updateTime };
      return store.readEvents(account, { after: 1, limit: 1, webhook });
    }

    const readNow = async (world: ScheduleWorld) => readFor(world, await known(world));

    test("what was sent or left out with another filter or address does not count", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      await record(world, failed(2));
      const filter = { types: ["job.ended"], targetIds: null, labels: null };
      let round = 1;
      for (const change of [{ filter }, { sealedSettings: "another address" }]) {
        const { progress, ...changed } = await changeEndpoint(store, "w", change);
        expect(progress).toMatchObject({ position: 0, batchEnd: 2, failures: 1, round: round + 1 });
        for (const outcome of [delivered(3), delivered(3, false), failed(3), gone(3)]) {
          expect(await record(world, outcome, round)).toBe("stale");
        }
        expect(await store.getEndpoint(endpointRef("w"))).toEqual({ ...changed, progress });
        round++;
      }
      expect(await record(world, delivered(3), round)).toMatchObject({ progress: { position: 3 } });
    });

    test("what was sent for another one of the same id does not count", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      await removeEndpoint(store, "w");
      const made = await createEndpoint(store, newWebhook("w"));
      await store.takeWebhooks(holder, 9);
      for (const outcome of [delivered(3), delivered(3, false), failed(3), gone(3)]) {
        expect(await record(world, outcome)).toBe("stale");
      }
      expect(await store.getEndpoint(endpointRef("w"))).toEqual(made);
    });

    test("what was taken before a pause counts", async () => {
      const world = await open();
      await world.store.takeWebhooks(world.holder, 9);
      for (const change of [{ paused: true }, { sealedSecrets: "another" }, { maxBatch: 1 }]) {
        await changeEndpoint(world.store, "w", change);
      }
      expect(await record(world, delivered(3))).toMatchObject({ progress: { position: 3 } });
    });

    test("there is something to send only for who holds the webhook of now", async () => {
      const world = await open();
      const { store, holder } = world;
      const before = await known(world);
      expect(await readFor(world, before)).toBeUndefined();
      await store.takeWebhooks(holder, 9);
      const page = await store.readEvents(account, { after: 1, limit: 1 });
      expect(page).toMatchObject({ events: [{ position: 2 }], last: 3 });
      expect(await readFor(world, before)).toEqual(page);
      const after = await changeEndpoint(store, "w", { maxBatch: 1 });
      expect(await readFor(world, before)).toBeUndefined();
      expect(await readFor(world, after)).toEqual(page);
      world.holder = await store.join("node", "all");
      expect(await readFor(world, after)).toBeUndefined();
      await store.takeWebhooks(world.holder, 9);
      expect(await readFor(world, after)).toEqual(page);
    });

    test("a revision that a store was set back from is another one than that which it made again", async () => {
      const world = await open();
      const { store, holder } = world;
      const lost = await changeEndpoint(store, "w", { maxBatch: 1 });
      // Made anew, it counts from the first on as one that was set back does.
      await removeEndpoint(store, "w");
      await world.pass(minute);
      await createEndpoint(store, newWebhook("w"));
      const again = await changeEndpoint(store, "w", { maxBatch: 2 });
      await store.takeWebhooks(holder, 9);
      expect(again.revision).toBe(lost.revision);
      expect(await readFor(world, lost)).toBeUndefined();
      expect(await readFor(world, again)).toMatchObject({ events: [{ position: 2 }] });
      // A pass of the time alone makes no other one, nor does what is recorded.
      await world.pass(minute);
      await schedule(store, "t", farFuture);
      await moveAll(store);
      await record(world, delivered(4));
      expect(await readFor(world, again)).toBeDefined();
    });

    test("nothing while it is paused, disabled or suspended, or when it is removed", async () => {
      const world = await open();
      const { store, holder } = world;
      await store.takeWebhooks(holder, 9);
      await changeEndpoint(store, "w", { paused: true });
      expect(await readNow(world)).toBeUndefined();
      await changeEndpoint(store, "w", { paused: false });
      expect(await readNow(world)).toBeDefined();
      await record(world, gone(2));
      expect(await readNow(world)).toBeUndefined();
      const revived = await changeEndpoint(store, "w", { revived: true });
      expect(await readFor(world, revived)).toBeDefined();
      await store.updateAccount(account, { state: "SUSPENDED" }, note());
      expect(await readFor(world, revived)).toBeUndefined();
      await store.updateAccount(account, { state: "ACTIVE" }, note());
      expect(await readFor(world, revived)).toBeDefined();
      await removeEndpoint(store, "w");
      expect(await readFor(world, revived)).toBeUndefined();
    });
  });

  test("a receiver that is gone disables its endpoint, and that is told", async () => {
    const world = await open();
    const { store, holder } = world;
    await store.takeWebhooks(holder, 9);
    await world.pass(minute);
    expect(await record(world, gone(3))).toMatchObject({
      ...{ disabledTime: world.now, progress: { batchEnd: 3, failures: 1, position: 0 } },
    });
    const told = (await logOf(store)).slice(3);
    expect(told).toMatchObject([
      {
        ...{ type: "endpoint.disabled", targetId: null, time: world.now, position: 4 },
        data: { endpoint: { endpointId: "w", statusCode: 410 } },
      },
    ]);
    const revived = await changeEndpoint(store, "w", { revived: true });
    expect(revived).toMatchObject({
      disabledTime: null,
      progress: { batchEnd: 3, retryTime: null },
    });
  });
}
