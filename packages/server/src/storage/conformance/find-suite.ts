import { describe, expect, test } from "vitest";
import {
  idTimesOf,
  mostLabelledLookedAt,
  mostMessagesLookedAt,
} from "../../domain/message-search.ts";
import type { MessageSearch } from "../../domain/message-search.ts";
import type { Message } from "../../domain/message.ts";
import type { NextStep } from "../../domain/retry-policy.ts";
import type { ScheduleRequest, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  exhausted,
  farFuture,
  hour,
  makeTarget,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const everything: MessageSearch = {
  states: null,
  targetId: null,
  labels: [],
  minTime: null,
  maxTime: null,
  order: "newest",
};

interface Asked extends Partial<MessageSearch> {
  readonly accountId?: string;
  readonly after?: string | null;
  readonly limit?: number;
}

function find(store: Store, { accountId = account, after = null, limit = 100, ...asked }: Asked) {
  const search = { ...everything, ...asked };
  const idTimes = idTimesOf(search, store.clock.now());
  return store.findMessages({ ...search, accountId, idTimes, after, limit });
}

/** Until the end, with what happens between two calls. */
async function walk(
  store: Store,
  asked: Asked,
  between: (found: readonly Message[]) => Promise<unknown> = async () => {},
): Promise<Message[]> {
  const all: Message[] = [];
  for (let after: string | null = null; ;) {
    const { messages, lookedUntil } = await find(store, { ...asked, after });
    all.push(...messages);
    if (lookedUntil === null) return all;
    expect(lookedUntil).not.toBe(after);
    after = lookedUntil;
    await between(messages);
  }
}

const idsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ messageId }) => messageId);

async function scheduleMany(
  store: Store,
  count: number,
  change: Partial<ScheduleRequest> = {},
): Promise<Message[]> {
  const made: Message[] = [];
  const request: ScheduleRequest = {
    accountId: account,
    targetId: "t",
    deliveryTime: farFuture,
    payload: "",
    options: null,
    idempotency: null,
    ...change,
  };
  while (made.length < count) {
    const size = Math.min(1_000, count - made.length);
    const results = await store.scheduleMessages(Array.from({ length: size }, () => request));
    for (const result of results) {
      if (result.kind !== "scheduled") throw new Error(result.kind);
      made.push(result.message);
    }
  }
  return made;
}

export function findSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  async function openWithTargets() {
    const opened = await open();
    const { store } = opened;
    const target = await makeTarget(store, "t");
    await makeTarget(store, "u");
    await makeTarget(store, "t", { accountId: otherAccount });
    return { ...opened, target };
  }

  const labelled = (store: Store, labels: Record<string, string>, targetId = "t") =>
    schedule(store, targetId, farFuture, { options: { labels } });

  describe("what is found", () => {
    test("all messages of the account and no others, newest or oldest first", async () => {
      const { store } = await openWithTargets();
      const made: Message[] = [];
      for (let index = 0; index < 5; index++) {
        made.push(await schedule(store, index % 2 === 0 ? "t" : "u", farFuture - index));
        await schedule(store, "t", farFuture, { accountId: otherAccount });
      }
      const newest = await find(store, {});
      expect(newest).toEqual({ messages: made.toReversed(), lookedUntil: null });
      expect(await find(store, { order: "oldest" })).toEqual({ messages: made, lookedUntil: null });
      const nobody = await find(store, { accountId: "acc_x" });
      expect(nobody).toEqual({ messages: [], lookedUntil: null });
    });

    test("messages in the states asked for, as they are now", async () => {
      const { store, target } = await openWithTargets();
      const holder = await store.join("node", "all");
      const [delivered, dead] = [
        await schedule(store, "t", past),
        await schedule(store, "t", past),
      ];
      const { claims } = await store.claimDue(holder, [{ targetKey: target.targetKey, limit: 2 }]);
      await store.recordAttempts(
        holder,
        claims.map((claim) =>
          resultOf(claim, claim.messageId === dead.messageId ? exhausted : { kind: "delivered" }),
        ),
      );
      const scheduled = await schedule(store, "t", farFuture);
      const cancelled = await schedule(store, "t", farFuture);
      await store.cancelMessage({ ...refTo(cancelled), waitMs: 0 });
      const found = async (states: MessageSearch["states"]) =>
        idsOf((await find(store, { states, order: "oldest" })).messages);
      expect(await found(["DELIVERED"])).toEqual([delivered.messageId]);
      expect(await found(["DEAD_LETTER"])).toEqual([dead.messageId]);
      expect(await found(["SCHEDULED"])).toEqual([scheduled.messageId]);
      expect(await found(["SCHEDULED", "CANCELLED"])).toEqual(idsOf([scheduled, cancelled]));
      expect(await found(null)).toEqual(idsOf([delivered, dead, scheduled, cancelled]));
      const { messages } = await find(store, { states: ["DEAD_LETTER"] });
      expect(messages).toEqual([await store.getMessage(refTo(dead))]);
    });

    test("messages for one target, also for a removed one, and none for an unknown one", async () => {
      const { store } = await openWithTargets();
      const message = await schedule(store, "t", farFuture);
      await schedule(store, "u", farFuture);
      await schedule(store, "t", farFuture, { accountId: otherAccount });
      expect((await find(store, { targetId: "t" })).messages).toEqual([message]);
      await store.cancelMessage({ ...refTo(message), waitMs: 0 });
      await store.removeTarget({ accountId: account, targetId: "t" }, note());
      expect(idsOf((await find(store, { targetId: "t" })).messages)).toEqual(idsOf([message]));
      const unknown = await find(store, { targetId: "nobody" });
      expect(unknown).toEqual({ messages: [], lookedUntil: null });
    });

    test("messages with all labels, in the account alone", async () => {
      const { store } = await openWithTargets();
      const both = await labelled(store, { a: "1", b: "2" });
      const other = await labelled(store, { a: "1", b: "3" });
      const beside = await labelled(store, { a: "11", b: "2" }, "u");
      await schedule(store, "t", farFuture);
      const options = { labels: { a: "1", b: "2" } };
      await schedule(store, "t", farFuture, { accountId: otherAccount, options });
      const found = async (...labels: string[]) =>
        idsOf((await find(store, { labels, order: "oldest" })).messages);
      expect(await found("a:1")).toEqual(idsOf([both, other]));
      expect(await found("b:2")).toEqual(idsOf([both, beside]));
      expect(await found("a:1", "b:2")).toEqual(idsOf([both]));
      expect(await found("b:2", "a:1")).toEqual(idsOf([both]));
      expect(await found("a:1", "b:4")).toEqual([]);
      expect(await found("c:1")).toEqual([]);
      const narrowed = await find(store, { labels: ["b:2"], targetId: "u" });
      expect(narrowed).toEqual({ messages: [beside], lookedUntil: null });
      const none = await find(store, { labels: ["b:2"], states: ["DELIVERED"] });
      expect(none).toEqual({ messages: [], lookedUntil: null });
    });

    test("labels of any text, byte for byte", async () => {
      const { store } = await openWithTargets();
      const values = ["a,b", "a:b", "\\", "'", '"', "%", "_", "ä", "a\u0308", "😀", "A", "a", " "];
      const made = new Map<string, Message>();
      for (const value of values) made.set(value, await labelled(store, { x: value }));
      for (const [value, message] of made) {
        const { messages } = await find(store, { labels: [`x:${value}`] });
        expect([value, messages]).toEqual([value, [message]]);
      }
    });

    test("messages with a key, whatever became of them, each of them once", async () => {
      const { store, target } = await openWithTargets();
      const holder = await store.join("node", "all");
      const keyed = (targetId: string, change: Partial<ScheduleRequest> = {}) =>
        schedule(store, targetId, farFuture, {
          options: { key: "k", labels: { a: targetId } },
          wantedKey: { key: "k", onConflict: "replace", maxWaitMs: null },
          ...change,
        });
      const ended: Message[] = [];
      const attempt = async (next: NextStep): Promise<Message> => {
        const message = await keyed("t", { deliveryTime: past });
        const asked = [{ targetKey: target.targetKey, limit: 1 }];
        const { claims } = await store.claimDue(holder, asked);
        await store.recordAttempts(holder, [resultOf(claims[0]!, next)]);
        return message;
      };
      ended.push(await attempt({ kind: "delivered" }), await attempt(exhausted));
      // Replaced by the next one, because it was attempted.
      ended.push(await attempt({ kind: "retry", delayMs: hour }));
      ended.push(await keyed("t"));
      await store.cancelMessage({ ...refTo(ended[3]!), waitMs: 0 });
      const back = await keyed("t");
      await store.cancelMessage({ ...refTo(back), waitMs: 0 });
      await store.rescheduleMessage({ ...refTo(back), deliveryTime: farFuture, waitMs: 0 });
      const beside = await keyed("u");
      await keyed("t", { accountId: otherAccount });
      await keyed("t", {
        options: { key: "kk" },
        wantedKey: { key: "kk", onConflict: "reject", maxWaitMs: null },
      });
      const labels = [":k"];
      const all = idsOf([...ended, back, beside]);
      for (const limit of [1, 4, 100]) {
        expect(idsOf(await walk(store, { labels, limit }))).toEqual(all.toReversed());
        expect(idsOf(await walk(store, { labels, limit, order: "oldest" }))).toEqual(all);
      }
      const found = async (asked: Asked) =>
        idsOf((await find(store, { labels, order: "oldest", ...asked })).messages);
      expect(await found({ targetId: "t" })).toEqual(idsOf([...ended, back]));
      expect(await found({ targetId: "u" })).toEqual(idsOf([beside]));
      expect(await found({ labels: ["a:u", ":k"] })).toEqual(idsOf([beside]));
      expect(await found({ states: ["SCHEDULED"] })).toEqual(idsOf([back, beside]));
      expect(await found({ states: ["DELIVERED"] })).toEqual(idsOf([ended[0]!]));
      expect(await found({ labels: [":x"] })).toEqual([]);
    });

    test.each([[[]], [["a:1"]]])(
      "messages scheduled within the bounds, both inclusive, with labels %j",
      async (labels) => {
        const { store } = await openWithTargets();
        const made: Message[] = [];
        for (let index = 0; index < 30; index++) made.push(await labelled(store, { a: "1" }));
        const times = made.map(({ schedulingTime }) => schedulingTime);
        const within = async (minTime: number | null, maxTime: number | null) => {
          const found = await find(store, { labels, minTime, maxTime, order: "oldest" });
          expect(found.lookedUntil).toBeNull();
          return idsOf(found.messages);
        };
        const expected = (min: number, max: number) =>
          idsOf(made.filter(({ schedulingTime: at }) => at >= min && at <= max));
        expect(await within(times[9]!, times[19]!)).toEqual(expected(times[9]!, times[19]!));
        expect(await within(times[9]!, null)).toEqual(expected(times[9]!, Infinity));
        expect(await within(null, times[19]!)).toEqual(expected(-Infinity, times[19]!));
        expect(await within(times[29]! + 1, null)).toEqual([]);
        expect(await within(null, times[0]! - 1)).toEqual([]);
        expect(await within(farFuture, null)).toEqual([]);
        expect(await within(-62_135_596_800_000, farFuture)).toEqual(idsOf(made));
      },
    );

    test("no messages that have expired", async () => {
      const { store } = await open({ retentionMs: 0 });
      await makeTarget(store, "t");
      const kept = await labelled(store, { a: "1" });
      const gone = await labelled(store, { a: "1" });
      await store.cancelMessage({ ...refTo(gone), waitMs: 0 });
      await expect.poll(() => store.getMessage(refTo(gone))).toBeUndefined();
      expect((await find(store, {})).messages).toEqual([kept]);
      expect((await find(store, { labels: ["a:1"] })).messages).toEqual([kept]);
      await store.removeExpired(10);
      expect((await find(store, { labels: ["a:1"] })).messages).toEqual([kept]);
    });
  });

  describe.each([
    { way: "by key", labels: [] },
    { way: "by label", labels: ["all:yes"] },
  ])("a walk $way", ({ labels }) => {
    const options = { labels: { all: "yes" } };

    test("finds every message once and in order, with any limit and any order", async () => {
      const { store } = await openWithTargets();
      const made = idsOf(await scheduleMany(store, 450, { options }));
      await scheduleMany(store, 3, { accountId: otherAccount, options });
      for (const limit of [7, 100, 450, 451]) {
        expect(idsOf(await walk(store, { labels, limit }))).toEqual(made.toReversed());
        expect(idsOf(await walk(store, { labels, limit, order: "oldest" }))).toEqual(made);
      }
    });

    test.each(["newest", "oldest"] as const)(
      "with the %s first finds what stays put exactly once while others come, go and change",
      async (order) => {
        const { store } = await openWithTargets();
        const made = idsOf(await scheduleMany(store, 60, { options }));
        const stayed = made.filter((_, index) => index % 3 !== 0);
        const restless = made.filter((_, index) => index % 3 === 0);
        const seen = await walk(
          store,
          { labels, limit: 5, order, states: ["SCHEDULED"] },
          async () => {
            if (restless.length === 0) return;
            await scheduleMany(store, 1, { options });
            const [one, other] = [restless.shift()!, restless.pop()];
            await store.cancelMessage({ ...refTo({ messageId: one }), waitMs: 0 });
            if (other === undefined) return;
            const moved = { ...refTo({ messageId: other }), waitMs: 0, deliveryTime: farFuture };
            await store.rescheduleMessage(moved);
          },
        );
        const ids = idsOf(seen);
        expect(new Set(ids).size).toBe(ids.length);
        const expected = order === "oldest" ? stayed : stayed.toReversed();
        expect(ids.filter((id) => stayed.includes(id))).toEqual(expected);
        expect(ids.toSorted()).toEqual(order === "oldest" ? ids : ids.toReversed());
      },
    );

    test("continues after a message that has been removed", async () => {
      const { store } = await open({ retentionMs: 0 });
      await makeTarget(store, "t");
      const made = await scheduleMany(store, 4, { options });
      const { lookedUntil } = await find(store, { labels, limit: 2 });
      expect(lookedUntil).not.toBeNull();
      for (const message of [made[2]!, made[3]!]) {
        await store.cancelMessage({ ...refTo(message), waitMs: 0 });
        await expect.poll(() => store.getMessage(refTo(message))).toBeUndefined();
      }
      await store.removeExpired(10);
      const rest = await find(store, { labels, after: lookedUntil });
      expect(idsOf(rest.messages)).toEqual(idsOf([made[1]!, made[0]!]));
    });

    test("looks at a bounded number of messages in one call, and goes on from there", async () => {
      const { store } = await openWithTargets();
      const most = labels.length === 0 ? mostMessagesLookedAt : mostLabelledLookedAt;
      const [first] = await scheduleMany(store, 1, { targetId: "u", options });
      // With a label, only the account's own messages are looked at.
      const owner = labels.length === 0 ? otherAccount : account;
      await scheduleMany(store, most + 50, { accountId: owner, options });
      const [last] = await scheduleMany(store, 1, { targetId: "u", options });
      const asked = { labels, targetId: "u" };
      const page = await find(store, asked);
      expect(idsOf(page.messages)).toEqual(idsOf([last!]));
      expect(page.lookedUntil).not.toBeNull();
      expect(idsOf(await walk(store, asked))).toEqual(idsOf([last!, first!]));
      const upwards = await walk(store, { ...asked, order: "oldest" });
      expect(idsOf(upwards)).toEqual(idsOf([first!, last!]));
    });
  });
}
