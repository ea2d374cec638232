import { expect, test } from "vitest";
import type { Message } from "../../domain/message.ts";
import type { ScheduleRequest, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  farFuture,
  hour,
  limitMessages,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const longWaitMs = 60_000;
const inAnHour = { delayMs: hour };

const requestFor = (deliveryTime: ScheduleRequest["deliveryTime"]): ScheduleRequest => ({
  accountId: account,
  targetId: "t",
  deliveryTime,
  payload: "",
  options: null,
  idempotency: null,
});

/** The store's clock, read by scheduling a message: `store.clock` may be an estimate. */
async function storeTime(store: Store): Promise<number> {
  return (await schedule(store, "t", farFuture)).schedulingTime;
}

function delayOf({ originalDeliveryTime, schedulingTime }: Message): number {
  return originalDeliveryTime - schedulingTime;
}

/** G4 for delays: they count by the store's clock, from the moment the store takes the call. */
export function delaySuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  const open = storesOf(makeLocation);

  test("a delay counts from schedulingTime, and the message reads back the same", async () => {
    const { store, reopen } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", inAnHour);
    expect(delayOf(message)).toBe(hour);
    expect(message.nextDeliveryTime).toBe(message.originalDeliveryTime);
    expect(await store.getMessage(refTo(message))).toEqual(message);
    expect(await (await reopen()).getMessage(refTo(message))).toEqual(message);
  });

  test("delays and instants share a batch, and each gets its own time", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const wanted = [{ delayMs: 5 }, farFuture, { delayMs: 0 }, past, { delayMs: 1_000 * hour }];
    const results = await store.scheduleMessages(wanted.map(requestFor));
    const messages = results.map((result) => {
      if (result.kind !== "scheduled") throw new Error(result.kind);
      return result.message;
    });
    const [first, second, third, fourth, fifth] = messages as [Message, ...Message[]];
    expect([first, third, fifth].map((each) => delayOf(each!))).toEqual([5, 0, 1_000 * hour]);
    expect([second, fourth].map((each) => each!.nextDeliveryTime)).toEqual([farFuture, past]);
    for (const message of messages) {
      expect(await store.getMessage(refTo(message))).toEqual(message);
    }
  });

  test("only what is due by its delay is claimed", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const due = await schedule(store, "t", { delayMs: 0 });
    await schedule(store, "t", inAnHour);
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 9 }]);
    expect(claims.map(({ messageId }) => messageId)).toEqual([due.messageId]);
  });

  test("a repeat with the same key gets the instant of the first call", async () => {
    const { store, reopen } = await open();
    await makeTarget(store, "t");
    const keyed = { idempotency: { key: "k", fingerprint: "f" } };
    const first = await schedule(store, "t", inAnHour, keyed);
    expect(delayOf(first)).toBe(hour);
    expect(await store.getMessage(refTo(first))).toEqual(first);
    expect(await schedule(store, "t", inAnHour, keyed)).toEqual(first);
    expect(await schedule(await reopen(), "t", inAnHour, keyed)).toEqual(first);
  });

  test("a delay counts the same where the monthly limit is near", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await limitMessages(store, account, 3);
    const idempotency = { key: "k", fingerprint: "f" };
    const results = await store.scheduleMessages([
      requestFor(inAnHour),
      requestFor(farFuture),
      { ...requestFor({ delayMs: 7 }), idempotency },
      requestFor(inAnHour),
    ]);
    const delays = results.map((result) =>
      result.kind === "scheduled" ? delayOf(result.message) : result.kind,
    );
    expect(delays).toEqual([hour, expect.any(Number), 7, "over-quota"]);
    for (const result of results) {
      if (result.kind !== "scheduled") continue;
      expect(await store.getMessage(refTo(result.message))).toEqual(result.message);
    }
    const again = await schedule(store, "t", { delayMs: 7 }, { idempotency });
    expect(delayOf(again)).toBe(7);
  });

  test("a reschedule by a delay counts from now, by the store's clock", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    const before = await storeTime(store);
    const moved = await store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: inAnHour,
      waitMs: 0,
    });
    const after = await storeTime(store);
    if (moved.kind !== "changed") throw new Error(moved.kind);
    expect(moved.message.nextDeliveryTime).toBeGreaterThanOrEqual(before + hour);
    expect(moved.message.nextDeliveryTime).toBeLessThanOrEqual(after + hour);
    expect(moved.message.originalDeliveryTime).toBe(farFuture);
    expect(await store.getMessage(refTo(message))).toEqual(moved.message);
  });

  // A store for one node answers such a call that nothing has changed.
  const lost = shared ? ["lost with its membership"] : [];
  test.each(["recorded", "given back", ...lost])(
    "a reschedule that waited until an attempt was %s counts its delay from its arrival",
    async (end) => {
      const { store, whenWaiting } = await open();
      const { targetKey } = await makeTarget(store, "t");
      const message = await schedule(store, "t", past);
      const holder = await store.join("node", "all");
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      const before = await storeTime(store);
      const moving = store.rescheduleMessage({
        ...refTo(message),
        deliveryTime: inAnHour,
        waitMs: longWaitMs,
      });
      await whenWaiting(1);
      const whileWaiting = await storeTime(store);
      await clockMovesOn(store, whileWaiting);
      if (end === "recorded") {
        await store.recordAttempts(holder, [
          resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
        ]);
      } else if (end === "given back") {
        await store.releaseClaims(holder, [message.messageId]);
      } else await store.join("node", "all");
      const moved = await moving;
      if (moved.kind !== "changed") throw new Error(moved.kind);
      expect(moved.message.state).toBe("SCHEDULED");
      expect(moved.message.nextDeliveryTime).toBeGreaterThanOrEqual(before + hour);
      expect(moved.message.nextDeliveryTime).toBeLessThanOrEqual(whileWaiting + hour);
    },
  );
}

/** Without this, the next step might come within the same millisecond. */
async function clockMovesOn(store: Store, from: number): Promise<void> {
  while ((await storeTime(store)) <= from);
}
