import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { systemTimers } from "../../../platform/timers.ts";
import {
  account,
  farFuture,
  makeTarget,
  note,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../conformance/harness.ts";
import { openConnections } from "../connections/connections.ts";
import type { Connections } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { rowKeyOf } from "../rows/message-rows.ts";
import { testStores } from "../testing/test-stores.ts";
import { messageChanges } from "./change-message.ts";

const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const makeStores = testStores();

async function setUp() {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  return { database, store, targetKey, aside, openAnother: () => open() };
}

test("a target is not removed while one of its messages is being rescheduled", async () => {
  const { database, store, aside } = await setUp();
  const message = await schedule(store, "t", farFuture);
  await store.cancelMessage({ ...refTo(message), waitMs: 0 });

  // Stops the reschedule between reading the target and writing the message.
  await aside.query("BEGIN; LOCK TABLE claims IN ACCESS EXCLUSIVE MODE");
  const rescheduled = store.rescheduleMessage({
    ...refTo(message),
    deliveryTime: farFuture,
    waitMs: 0,
  });
  await database.whenCounted(blocked, 1);
  const removed = store.removeTarget({ accountId: account, targetId: "t" }, note());
  await Promise.race([removed, database.whenCounted(blocked, 2)]);
  await aside.query("COMMIT");

  expect(await rescheduled).toMatchObject({ kind: "changed" });
  expect(await removed).toEqual({ kind: "has-scheduled-messages" });
});

test("a change that a dead node's call left waiting is not applied to a later attempt", async () => {
  const { database, store, targetKey, aside } = await setUp();
  const holder = await store.join("one", "all");
  const message = await schedule(store, "t", past);
  const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims;
  // A cancel that waited for an earlier claim. Its node died together with the claim's node.
  await aside.query("INSERT INTO waiting_changes (message_id) VALUES ($1)", [
    rowKeyOf(message.messageId),
  ]);
  const waiting = "SELECT count(*)::int AS count FROM claims WHERE awaited";
  const rescheduled = store.rescheduleMessage({
    ...refTo(message),
    deliveryTime: farFuture,
    waitMs: 60_000,
  });
  await database.whenCounted(waiting, 1);
  await store.recordAttempts(holder, [resultOf(claim!, { kind: "retry", delayMs: 5 })]);
  expect(await rescheduled).toMatchObject({
    kind: "changed",
    message: { state: "SCHEDULED", cancellationTime: null, version: claim!.version + 2 },
  });
});

test("one look at a time serves all waiting calls", async () => {
  const { database, store, targetKey } = await setUp();
  const holder = await store.join("one", "all");
  const messages = await Promise.all(Array.from({ length: 30 }, () => schedule(store, "t", past)));
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 30 }]);
  const connections = openConnections(database.url, { max: 10, deadlineMs: 8_000 });
  onTestFinished(() => connections.close());
  let [looking, mostLooking] = [0, 0];
  const watched: Connections = {
    transaction: (work) => connections.transaction(work),
    async query(query) {
      const looks = query.name.startsWith("look-for-answer");
      if (looks) mostLooking = Math.max(mostLooking, ++looking);
      try {
        return await connections.query(query);
      } finally {
        if (looks) looking--;
      }
    },
  };
  const { cancelMessage } = messageChanges({
    clock: systemClock,
    timers: systemTimers,
    retentionMs: 3_600_000,
    soonestAbandonedMs: 5_000,
    connections: watched,
  } as Context);
  const cancelled = messages.map((message) => cancelMessage({ ...refTo(message), waitMs: 60_000 }));
  await database.whenCounted("SELECT count(*)::int AS count FROM claims WHERE awaited", 30);
  await store.recordAttempts(
    holder,
    claims.map((claim) => resultOf(claim, { kind: "retry", delayMs: 5 })),
  );
  const kinds = (await Promise.all(cancelled)).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["changed"]));
  expect(mostLooking).toBe(1);
});

test.each(["cancel", "reschedule"] as const)(
  "a %s whose wait ends while the outcome is being written gets the decision",
  async (change) => {
    const { database, store, targetKey, aside, openAnother } = await setUp();
    const holder = await store.join("one", "all");
    const message = await schedule(store, "t", past);
    const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims;
    const connections = openConnections(database.url, { max: 4, deadlineMs: 8_000 });
    onTestFinished(() => connections.close());
    let now = 0;
    const changes = messageChanges({
      clock: { ...systemClock, monotonic: () => now },
      timers: systemTimers,
      retentionMs: 3_600_000,
      soonestAbandonedMs: 5_000,
      connections: connections as Connections,
    } as Context);
    const asked = { ...refTo(message), waitMs: 1_000 };
    const answered =
      change === "cancel"
        ? changes.cancelMessage(asked)
        : changes.rescheduleMessage({ ...asked, deliveryTime: farFuture });
    await database.whenCounted("SELECT count(*)::int AS count FROM claims WHERE awaited", 1);

    // Stops the recorder after it has read the waiting changes, and before it answers them. Another
    // store records: it does not hold the message, so it goes straight to the waiting changes.
    await aside.query("BEGIN; LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE");
    const recorder = await openAnother();
    const recorded = recorder.recordAttempts(holder, [
      resultOf(claim!, { kind: "retry", delayMs: 3_600_000 }),
    ]);
    await database.whenCounted(blocked, 1);
    now = 2_000;
    await Promise.race([answered, database.whenCounted(blocked, 2)]);
    await aside.query("COMMIT");

    expect(await recorded).toMatchObject([{ kind: "recorded" }]);
    const answer = await answered;
    expect(answer).toMatchObject({ kind: "changed" });
    const kept = await store.getMessage(refTo(message));
    expect(kept).toMatchObject(
      change === "cancel" ? { state: "CANCELLED" } : { nextDeliveryTime: farFuture },
    );
  },
);
