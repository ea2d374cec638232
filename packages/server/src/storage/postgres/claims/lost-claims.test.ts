import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import {
  account,
  farFuture,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../conformance/harness.ts";
import { StoreUnavailable } from "../../store.ts";
import { systemClock } from "../../../platform/clock.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { BacklogHeads } from "./backlog-heads.ts";
import { ClaimGate } from "./claim-gate.ts";
import { openConnections } from "../connections/connections.ts";
import type { Query, Run } from "../connections/connections.ts";
import type { WorkContext } from "../queries/context.ts";
import { HeldMessages } from "./held-messages.ts";
import { claimDue } from "../queries/claim-due.ts";
import { messageChanges } from "../queries/change-message.ts";
import { recordAttempts } from "../queries/record-attempts.ts";
import { releaseClaims } from "../queries/release-claims.ts";
import { voidLostClaims } from "../queries/void-lost-claims.ts";
import { TestClaims } from "./test-claims.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

/** Connections that can lose the answer to a named statement after it took effect. */
async function lossyWayTo(databaseUrl: string) {
  let losing: string | undefined;
  const direct = new URL(databaseUrl);
  const proxy = createServer((client) => {
    const server = connect(Number(direct.port), direct.hostname);
    let doomed = false;
    client.on("data", (bytes) => {
      doomed ||= losing !== undefined && bytes.includes(losing);
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (doomed) {
        losing = undefined;
        client.destroy();
      } else client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  return { url: url.href, loseTheNext: (statement: string) => void (losing = statement) };
}

test("the next renewal frees a claim whose answer was lost, and no other", async () => {
  const { database, open } = await makeStores();
  const way = await lossyWayTo(database.url);
  const store = await open({ databaseUrl: way.url });
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  const known = await schedule(store, "t", past);
  const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;
  expect(claim?.messageId).toBe(known.messageId);

  const lost = await schedule(store, "t", past);
  way.loseTheNext("claim-due");
  await expect(store.claimDue(holder, [{ targetKey, limit: 5 }])).rejects.toThrow(StoreUnavailable);
  expect((await store.listNodes())[0]?.inFlight).toBe(2);
  expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);

  expect(await store.renew(holder)).toBe(true);
  const found: string[] = [];
  await expect
    .poll(async () => {
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
      return found.push(...claims.map(({ messageId }) => messageId));
    })
    .toBeGreaterThan(0);
  expect(found).toEqual([lost.messageId]);
  expect(
    await store.recordAttempts(holder, [resultOf(claim!, { kind: "delivered" })]),
  ).toMatchObject([{ kind: "recorded" }]);
});

test("an outcome whose answer is lost is recorded once, and the second try learns so", async () => {
  const { database, open } = await makeStores();
  const way = await lossyWayTo(database.url);
  const store = await open({ databaseUrl: way.url });
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  const message = await schedule(store, "t", past);
  const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;
  const failed = resultOf(claim!, { kind: "retry", delayMs: 3_600_000 });

  way.loseTheNext("record-attempts");
  await expect(store.recordAttempts(holder, [failed])).rejects.toThrow(StoreUnavailable);
  const written = (await store.getMessage(refTo(message)))!;
  expect(written).toMatchObject({ state: "SCHEDULED", deliveryFailureCount: 1 });

  const { nextDeliveryTime } = written;
  expect(await store.recordAttempts(holder, [failed, failed])).toMatchObject([
    { kind: "recorded", message: { deliveryFailureCount: 1, nextDeliveryTime } },
    { kind: "stale" },
  ]);
  expect(await store.recordAttempts(holder, [failed])).toEqual([{ kind: "stale" }]);
  expect(await store.listAttempts(refTo(message))).toHaveLength(1);
});

test("an outcome whose answer is lost does not show what became of the message later", async () => {
  const { database, open } = await makeStores();
  const way = await lossyWayTo(database.url);
  const store = await open({ databaseUrl: way.url });
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  const message = await schedule(store, "t", past);
  const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;
  const failed = resultOf(claim!, { kind: "retry", delayMs: 3_600_000 });
  way.loseTheNext("record-attempts");
  await expect(store.recordAttempts(holder, [failed])).rejects.toThrow(StoreUnavailable);
  expect(await store.cancelMessage({ ...refTo(message), waitMs: 0 })).toMatchObject({
    kind: "changed",
  });
  expect(await store.recordAttempts(holder, [failed])).toEqual([{ kind: "stale" }]);
});

/** The verbs of one node on a database that abandons some statements and executes them later. */
async function lateNode() {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  const direct = openConnections(database.url, { max: 4, deadlineMs: 0 });
  onTestFinished(() => direct.close());
  const late: Query[] = [];
  let givingUp = "";
  const unlessGivenUp =
    (run: Run): Run =>
    async (asked) => {
      if (asked.name !== givingUp) return run(asked);
      late.push(asked);
      throw new StoreUnavailable("no answer");
    };
  const held = new HeldMessages();
  held.begin(holder);
  const context = {
    connections: {
      query: unlessGivenUp(direct.query),
      transaction: (work) => direct.transaction((run) => work(unlessGivenUp(run))),
    },
    held,
    tests: new TestClaims(),
    gate: new ClaimGate(),
    backlogs: new BacklogHeads(systemClock),
    clock: systemClock,
    timers: systemTimers,
    retentionMs: 3_600_000,
    soonestAbandonedMs: 5_000,
  } as WorkContext;
  const claimWhole = async () =>
    (await claimDue(context)(holder, [{ targetKey, limit: 5 }])).claims;
  const claim = async () => (await claimWhole()).map(({ messageId }) => messageId);
  return {
    store,
    holder,
    context,
    direct,
    claim,
    claimWhole,
    giveUp: (name: string) => void (givingUp = name),
    async executeLate() {
      givingUp = "";
      for (const asked of late.splice(0)) await direct.query(asked);
    },
  };
}

test("a late look for lost claims leaves newer claims alone", async () => {
  const { store, holder, context, claim, giveUp, executeLate } = await lateNode();
  giveUp("void-lost-claims");
  await expect(voidLostClaims(context)(holder)).rejects.toThrow(StoreUnavailable);
  const { messageId } = await schedule(store, "t", past);
  expect(await claim()).toEqual([messageId]);
  await executeLate();
  expect(await claim()).toEqual([]);
  expect((await store.listNodes())[0]?.inFlight).toBe(1);
});

test("a claim that could not be given back is found as lost", async () => {
  const { store, holder, context, claim, giveUp } = await lateNode();
  const { messageId } = await schedule(store, "t", past);
  expect(await claim()).toEqual([messageId]);
  giveUp("lock-claims");
  await expect(releaseClaims(context)(holder, [messageId])).rejects.toThrow(StoreUnavailable);
  expect(await claim()).toEqual([]);
  await voidLostClaims(context)(holder);
  expect(await claim()).toEqual([messageId]);
});

test("an outcome that is written late leaves newer claims alone", async () => {
  const { store, holder, context, claim, claimWhole, giveUp, executeLate } = await lateNode();
  const { messageId } = await schedule(store, "t", past);
  const [first] = await claimWhole();
  const failed = { holder, result: resultOf(first!, { kind: "retry", delayMs: 0 }) };
  const record = recordAttempts(context);
  giveUp("record-attempts");
  await expect(record([failed])).rejects.toThrow(StoreUnavailable);
  giveUp("");
  expect(await record([failed])).toMatchObject([{ kind: "recorded" }]);
  expect(await claim()).toEqual([messageId]);
  await executeLate();
  expect((await store.listNodes())[0]?.inFlight).toBe(1);
  expect(await claim()).toEqual([]);
});

test("a slow release of a claim does not free a newer claim", async () => {
  const { store, holder, context, direct, claim } = await lateNode();
  const { messageId } = await schedule(store, "t", past);
  expect(await claim()).toEqual([messageId]);
  const connected = Promise.withResolvers<void>();
  const slow = releaseClaims({
    ...context,
    connections: {
      ...direct,
      async transaction(work) {
        await connected.promise;
        return direct.transaction(work);
      },
    },
  });
  const released = slow(holder, [messageId]);
  // The claim counts as lost by now. Another look frees it, and the message is claimed again.
  await voidLostClaims(context)(holder);
  expect(await claim()).toEqual([messageId]);
  connected.resolve();
  await released;
  expect((await store.listNodes())[0]?.inFlight).toBe(1);
});

test("a cancel that begins to wait late does not affect a later attempt", async () => {
  const { store, holder, context, claimWhole, giveUp, executeLate } = await lateNode();
  const message = await schedule(store, "t", past);
  const [first] = await claimWhole();
  giveUp("wait-for-outcome");
  const cancelled = messageChanges(context).cancelMessage({ ...refTo(message), waitMs: 60_000 });
  await expect(cancelled).rejects.toThrow(StoreUnavailable);
  const record = recordAttempts(context);
  const again = { kind: "retry", delayMs: 0 } as const;
  await record([{ holder, result: resultOf(first!, again) }]);
  // By now somebody has rescheduled the message, so it must go out.
  const wanted = { ...refTo(message), deliveryTime: past, waitMs: 0 };
  expect(await store.rescheduleMessage(wanted)).toMatchObject({ kind: "changed" });
  const [second] = await claimWhole();
  await executeLate();
  const later = { kind: "retry", delayMs: farFuture } as const;
  await record([{ holder, result: resultOf(second!, later) }]);
  expect(await store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
});

test("a reschedule that begins to wait late does not overrule one that was asked after it", async () => {
  const { store, holder, context, direct, claimWhole, giveUp, executeLate } = await lateNode();
  const message = await schedule(store, "t", past);
  const [claim] = await claimWhole();
  const soonestAbandonedMs = 1_000;
  const { rescheduleMessage } = messageChanges({ ...context, soonestAbandonedMs });
  giveUp("wait-for-outcome");
  const waitMs = 60_000;
  const abandoned = rescheduleMessage({ ...refTo(message), deliveryTime: past, waitMs });
  await expect(abandoned).rejects.toThrow(StoreUnavailable);
  giveUp("");
  const read = async (text: string) => direct.query({ name: "", text, values: [] });
  const clock = async () => (await read("SELECT now_ms() AS now"))[0]!["now"] as number;
  const wantedUntil = (await clock()) + soonestAbandonedMs;
  const asked = rescheduleMessage({ ...refTo(message), deliveryTime: farFuture, waitMs });
  const waiting = async () => (await read("SELECT 1 FROM waiting_changes")).length;
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
  await expect.poll(clock, { timeout: 60_000 }).toBeGreaterThan(wantedUntil);
  await executeLate();
  await recordAttempts(context)([
    { holder, result: resultOf(claim!, { kind: "retry", delayMs: 0 }) },
  ]);
  expect(await asked).toMatchObject({ kind: "changed" });
  expect(await store.getMessage(refTo(message))).toMatchObject({ nextDeliveryTime: farFuture });
});
