import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

/** A membership that is silent, a store that looks for such, and a session of the test's own. */
async function setUp() {
  const { database, open } = await makeStores();
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  const silent = await open();
  const holder = await silent.join("silent", "all");
  /** As if nodes that are gone had seen it silent since its last renewal. */
  const noteSilence = (ms: number) =>
    aside.query(
      `INSERT INTO node_silences SELECT epoch, xmin::text || ':' || renewal_time, $1 FROM nodes
        ON CONFLICT (epoch) DO UPDATE SET version = excluded.version, silent_ms = excluded.silent_ms`,
      [ms],
    );
  const silences = async () =>
    (await aside.query("SELECT epoch::int, silent_ms::int FROM node_silences")).rows;
  return { aside, silent, holder, noteSilence, silences, looking: await open() };
}

/** That of the stores of these tests. */
const leaseMs = 60_000;

test("a silence that other nodes have seen counts, and is forgotten with the membership", async () => {
  const { looking, holder, silent, noteSilence, silences } = await setUp();
  await noteSilence(leaseMs);
  // The first look only sees it.
  expect(await looking.endLapsedMemberships()).toMatchObject({ count: 0, nextEndMs: 0 });
  expect(await looking.endLapsedMemberships()).toMatchObject({ count: 1, areSomeGone: true });
  expect(await silent.renew(holder)).toBe(false);
  expect(await looking.endLapsedMemberships()).toMatchObject({ areSomeGone: false });
  expect(await silences()).toEqual([]);
});

test("a renewal ends the silence, also after another node has seen enough of it", async () => {
  const { looking, holder, silent, noteSilence } = await setUp();
  await noteSilence(leaseMs);
  expect(await silent.renew(holder)).toBe(true);
  const { nextEndMs } = await looking.endLapsedMemberships();
  expect(nextEndMs).toBeGreaterThan(0);
  await noteSilence(leaseMs);
  await looking.endLapsedMemberships();
  expect(await silent.renew(holder)).toBe(true);
  expect(await looking.endLapsedMemberships()).toMatchObject({ count: 0 });
  expect(await silent.renew(holder)).toBe(true);
});

test("what nodes see of a silence is kept, and never becomes less", async () => {
  const { looking, holder, noteSilence, silences } = await setUp();
  await noteSilence(leaseMs / 2);
  await looking.endLapsedMemberships();
  expect(await silences()).toEqual([{ epoch: holder.epoch, silent_ms: leaseMs / 2 }]);
  await looking.endLapsedMemberships();
  const [{ silent_ms: seenMs }] = await silences();
  expect(seenMs).toBeGreaterThanOrEqual(leaseMs / 2);
  await noteSilence(leaseMs - 1);
  await looking.endLapsedMemberships();
  expect(await silences()).toEqual([{ epoch: holder.epoch, silent_ms: leaseMs - 1 }]);
});

test("a row that is only locked has not been renewed", async () => {
  const { aside, looking, noteSilence } = await setUp();
  await noteSilence(leaseMs);
  await looking.endLapsedMemberships();
  await aside.query("SELECT 1 FROM nodes FOR UPDATE");
  await aside.query("VACUUM (FREEZE) nodes");
  expect(await looking.endLapsedMemberships()).toMatchObject({ count: 1 });
});

test("a membership that is silent and over by the clock is not listed, before it has ended", async () => {
  const { aside, silent, looking, noteSilence } = await setUp();
  const listed = async () => (await looking.listNodes()).map(({ nodeId }) => nodeId);
  await aside.query("UPDATE nodes SET lease_until = 0, renewal_time = -60000");
  await looking.endLapsedMemberships();
  // The clock may have been set.
  expect(await listed()).toEqual(["silent"]);
  await noteSilence(leaseMs / 2);
  await looking.endLapsedMemberships();
  expect(await listed()).toEqual([]);
  await silent.join("other", "api");
  expect(await listed()).toEqual(["other"]);
});
