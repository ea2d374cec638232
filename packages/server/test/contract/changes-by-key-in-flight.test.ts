import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cancelMessageByKey } from "../../src/operations/messages/by-key.ts";
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

test("a cancel by key finds a message again that was cancelled and came back while it waited", async () => {
  const { store, whenWaiting } = await open();
  const { targetKey } = await makeTarget(store, "t");
  const [made] = await store.scheduleMessages([
    {
      accountId: account,
      targetId: "t",
      deliveryTime: past,
      payload: "one",
      options: { key: "k" },
      wantedKey: { key: "k", onConflict: "reject", maxWaitMs: null },
      idempotency: null,
    },
  ]);
  if (made?.kind !== "scheduled") throw new Error("it was not scheduled");
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  const delivery = { noteDue() {}, noteBound() {} };
  const cancelByKey = async () => {
    const call = { key: "k", targetId: "t" };
    const options = { store, delivery, cancelWaitMs: hour };
    const cancelling = cancelMessageByKey(options, callerOf(account), call);
    // It looks the key up, and then waits.
    await whenWaiting(0);
    await whenWaiting(1);
    return { cancelling };
  };
  const first = await cancelByKey();
  const second = await cancelByKey();
  const change = { ...refTo(made.message), deliveryTime: farFuture, waitMs: hour };
  const rescheduling = store.rescheduleMessage(change);
  await whenWaiting(3);
  await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "retry", delayMs: hour })]);
  expect(await first.cancelling).toMatchObject({ state: "CANCELLED" });
  expect(await rescheduling).toMatchObject({ kind: "changed" });
  expect(await second.cancelling).toMatchObject({ state: "CANCELLED" });
  expect((await store.getMessage(refTo(made.message)))!.state).toBe("CANCELLED");
});
