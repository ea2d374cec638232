import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, makeTarget, otherAccount } from "../../conformance/harness.ts";
import { testStores } from "../testing/test-stores.ts";
import type { Context } from "./context.ts";

const makeStores = testStores();
/** More calls than the callers' part has connections. */
const manyCalls = 20;
const mostOfOneAccount = 3;

/** A node whose audit log answers nobody until the test lets go of it. */
async function setUp() {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  await store.ensureAccount(otherAccount, "Other");
  await makeTarget(store, "t", { accountId: otherAccount });
  await store.join("one", "all");
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  await aside.query("BEGIN; LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE");
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    store,
    whenWaiting: (count: number) => database.whenCounted(waiting, count),
    letGo: () => aside.query("COMMIT"),
  };
}

test("calls of one account that wait leave the connections of other accounts alone", async () => {
  const { store, whenWaiting, letGo } = await setUp();
  const query = { accountId: account, minTime: null, maxTime: null, after: null, limit: 1 };
  const flood = Promise.allSettled(
    Array.from({ length: manyCalls }, () => store.listAuditEntries(query)),
  );
  await whenWaiting(mostOfOneAccount);
  expect(await store.getAccount(otherAccount)).toMatchObject({ name: "Other" });
  expect(await store.getUsage(otherAccount)).toMatchObject({ used: 0 });
  const begun = await store.beginTest({ accountId: otherAccount, targetId: "t" });
  if (begun.kind !== "begun") throw new Error(begun.kind);
  await store.endTest(begun.test);
  await store.revokeToken(otherAccount, "token", store.clock.now() + 60_000);
  await letGo();
  const failed = (await flood).filter(({ status }) => status === "rejected");
  expect(failed).toEqual([]);
});

test("a query for callers that gives no name does not compile", () => {
  const query = { name: "", text: "SELECT 1" };
  // @ts-expect-error -- the calls of this query would wait behind those of all accounts
  const forgetful = ({ connections }: Context) => connections.query(query);
  const named = ({ connections }: Context) => connections.query(query, account);
  expect([forgetful, named]).toHaveLength(2);
});
