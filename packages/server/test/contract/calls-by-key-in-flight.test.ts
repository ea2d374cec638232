import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConflictMode } from "../../src/domain/message-key.ts";
import { cancelMessageByKey } from "../../src/operations/messages/by-key.ts";
import { holderWaitPlaces } from "../../src/operations/messages/holder-waits.ts";
import { scheduleDecided } from "../../src/operations/messages/schedule-decided.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { PlacesInTurn } from "../../src/platform/places-in-turn.ts";
import { systemTimers } from "../../src/platform/timers.ts";
import {
  account,
  farFuture,
  hour,
  makeTarget,
  past,
  refTo,
  resultOf,
  storesOf,
} from "../../src/storage/conformance/harness.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open-sqlite-store.ts";
import { callerOf } from "../simulation/callers/service-line.ts";

const open = storesOf(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-"));
  return {
    open: (options) => openSqliteStore({ dataDir, ...options }),
    whenWaiting: (store) => store.ping(),
    countAttempts: async () => 0,
    remove: () => rm(dataDir, { recursive: true }),
  };
});

function keyed(onConflict: ConflictMode, deliveryTime: number, payload: string) {
  return {
    accountId: account,
    targetId: "t",
    deliveryTime,
    payload,
    options: { key: "k" },
    wantedKey: { key: "k", onConflict, maxWaitMs: null },
    idempotency: null,
  };
}

/** A message with the key "k", and an attempt at it that has not ended. */
async function inFlight() {
  const { store, whenWaiting } = await open();
  const { targetKey } = await makeTarget(store, "t");
  const [made] = await store.scheduleMessages([keyed("reject", past, "one")]);
  if (made?.kind !== "scheduled") throw new Error("it was not scheduled");
  const { message } = made;
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  return {
    store,
    message,
    fail: (delayMs: number) =>
      store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "retry", delayMs })]),
    /** Makes a call that looks for the holder of the key and then waits. */
    async waits<Result>(call: () => Promise<Result>) {
      const answer = call();
      await whenWaiting(0);
      await whenWaiting(1);
      return { answer };
    },
  };
}

test("a cancel by key finds a message again that was cancelled and came back while it waited", async () => {
  const { store, message, waits, fail } = await inFlight();
  const delivery = { noteDue() {}, noteBound() {} };
  const options = { store, delivery, cancelWaitMs: hour };
  const given = { key: "k", targetId: "t" };
  const cancelByKey = () => cancelMessageByKey(options, callerOf(account), given);
  const first = await waits(cancelByKey);
  const second = await waits(cancelByKey);
  const change = { ...refTo(message), deliveryTime: farFuture, waitMs: hour };
  const third = await waits(() => store.rescheduleMessage(change));
  await fail(hour);
  expect(await first.answer).toMatchObject({ state: "CANCELLED" });
  expect(await third.answer).toMatchObject({ kind: "changed" });
  expect(await second.answer).toMatchObject({ state: "CANCELLED" });
  expect((await store.getMessage(refTo(message)))!.state).toBe("CANCELLED");
});

test.each(["replace", "replaceKeepTime"] as const)(
  "%s comes before the next attempt, however soon that is due",
  async (mode) => {
    const { store, message, waits, fail } = await inFlight();
    const options = {
      ...{ store, clock: systemClock, timers: systemTimers, cancelWaitMs: hour },
      holderWaits: new PlacesInTurn(holderWaitPlaces),
    };
    const { answer } = await waits(() => scheduleDecided(options, [keyed(mode, past, "two")]));
    await fail(0);
    expect(await answer).toMatchObject([{ kind: "scheduled", keyOutcome: "replaced" }]);
    expect(await store.getMessage(refTo(message))).toMatchObject({
      state: "CANCELLED",
      endReason: "REPLACED",
      deliveryFailureCount: 1,
    });
  },
);
