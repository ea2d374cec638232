import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import { createEndpoint, moveAll, newEndpoint, removeEndpoint } from "./events/event-harness.ts";
import type { StoreLocation } from "./harness.ts";
import {
  account,
  exhausted,
  farFuture,
  makeTarget,
  newClient,
  note,
  past,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";
import { joinAndTake, lastStep, start } from "./jobs/job-harness.ts";

/** How many rows each table has. */
export type Rows = Readonly<Record<string, number>>;

export interface CountingLocation extends StoreLocation {
  countRows(): Promise<Rows>;
}

const atOnce = {
  retentionMs: 0,
  idempotencyRetentionMs: 0,
  auditRetentionMs: 0,
  eventRetentionMs: 0,
  eventLimit: 2,
};

/** What there is to know of a target after its removal: messages on record name it, and it may come back. */
const perTarget = ["targets", "target_turns", "target_events"];
/** Belongs to the account, and goes with it. */
const perAccount = ["event_logs", "account_events"];
/** Grow with months and processes alone. */
const others = new Set(["monthly_usage", "usage_shares", "nodes"]);

/** What is left of targets and accounts in the tables of a store that keeps nothing for a time. */
export function leftoversSuite(makeLocation: () => Promise<CountingLocation>): void {
  let location: CountingLocation;
  const open = storesOf(async () => (location = await makeLocation()));

  test("a removed target leaves at most a row in each table of targets, however often it comes back", async () => {
    const { store } = await open(atOnce);
    const before = await location.countRows();
    for (let round = 0; round < 3; round++) {
      await liveWith(store, "t");
      const removed = await store.removeTarget({ accountId: account, targetId: "t" }, note());
      expect(removed).toBeDefined();
      await sweep(store);
      const left = added(before, await location.countRows());
      expect(
        Object.keys(left).filter((table) => ![...perTarget, ...perAccount].includes(table)),
      ).toEqual([]);
      expect(Math.max(...Object.values(left))).toBe(1);
    }
  });

  test("a removed account leaves nothing but its own row and those of its targets", async () => {
    const { store } = await open(atOnce);
    const before = await location.countRows();
    await store.createKey(
      { accountId: account, keyId: "k", name: "", scopes: [], hash: "h" },
      note(),
    );
    await store.createClient(newClient("c"), note());
    await liveWith(store, "t");
    await liveWith(store, "u");
    await store.updateAccount(account, { state: "SUSPENDED" }, note());
    await store.removeAccount(account, note());
    await sweep(store);
    const left = added(before, await location.countRows());
    expect(Object.keys(left).filter((table) => !perTarget.includes(table))).toEqual([]);
    expect(Math.max(...Object.values(left))).toBe(2);
  });
}

/** Messages in every state, with everything that a message can have, a job, and an endpoint that is told. */
async function liveWith(store: Store, targetId: string): Promise<void> {
  const endpointId = `of-${targetId}`;
  await createEndpoint(store, newEndpoint(endpointId));
  const { targetKey } = await makeTarget(store, targetId);
  const idempotency = { key: `key of ${targetId}`, fingerprint: "f" };
  await schedule(store, targetId, past, { idempotency });
  await schedule(store, targetId, past);
  const options = { key: "k", labels: { tenant: "a" } };
  await schedule(store, targetId, farFuture, { options });
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 2 }]);
  const ends = [{ kind: "delivered" }, exhausted] as const;
  await store.recordAttempts(
    holder,
    claims.map((claim, index) => resultOf(claim, ends[index]!)),
  );
  const job = await start(store, { filter: { targetId } });
  const worker = await joinAndTake(store);
  await lastStep(store, worker, job);
  await store.leave(worker);
  await moveAll(store);
  await removeEndpoint(store, endpointId);
}

async function sweep(store: Store): Promise<void> {
  await moveAll(store);
  while ((await store.removeExpired(100)).removed > 0);
  while ((await store.removeOldEvents(100)).removed > 0);
}

function added(before: Rows, after: Rows): Rows {
  const counted = Object.entries(after).filter(([table]) => !others.has(table));
  const changes = counted.map(([table, rows]) => [table, rows - before[table]!]);
  return Object.fromEntries(changes.filter(([, rows]) => rows !== 0)) as Rows;
}
