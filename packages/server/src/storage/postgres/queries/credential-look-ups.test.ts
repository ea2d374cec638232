import { expect, onTestFinished, test } from "vitest";
import { account, newClient, note, otherAccount } from "../../conformance/harness.ts";
import { openConnections } from "../connections/connections.ts";
import type { Connections } from "../connections/connections.ts";
import { testStores } from "../testing/test-stores.ts";
import { findKey } from "./access-keys.ts";
import { findClient } from "./clients.ts";
import { findSession } from "./sessions.ts";
import { findTokenHolder } from "./tokens.ts";

const makeStores = testStores();
const scopes = ["scheduler.all.read"] as const;
const times = 3_000;
const mostStatements = 5;

/** A store, and connections to its database that count the statements. */
async function openCounted() {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  await store.ensureAccount(otherAccount, "Other");
  const connections = openConnections(database.url, { max: 3, deadlineMs: 60_000 });
  onTestFinished(() => connections.close());
  let statements = 0;
  const counted: Connections = {
    query(query, name) {
      statements++;
      return connections.query(query, name);
    },
    transaction: (work, name) => connections.transaction(work, name),
  };
  return { store, connections: counted, statements: () => statements };
}

const many = <Found>(lookUp: (index: number) => Promise<Found>): Promise<Found[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => lookUp(index)));

test("thousands of concurrent key look-ups cost a few statements", async () => {
  const { store, connections, statements } = await openCounted();
  const keyOf = (accountId: string, keyId: string) => ({ accountId, keyId, name: "", scopes });
  await store.createKey({ ...keyOf(account, "one"), hash: "a1" }, note());
  await store.createKey({ ...keyOf(otherAccount, "other"), hash: "b2" }, note());
  const find = findKey({ connections });
  const hashes = ["a1", "b2", "c3"];
  const found = await many((index) => find(hashes[index % 3]!));
  const ids = found.map((each) => each && [each.account.accountId, each.key.keyId]);
  expect(ids.slice(0, 3)).toEqual([[account, "one"], [otherAccount, "other"], undefined]);
  expect(ids.filter((_, index) => index % 3 === 1)).toEqual(
    Array.from({ length: times / 3 }, () => [otherAccount, "other"]),
  );
  expect(statements()).toBeLessThanOrEqual(mostStatements);
});

test("thousands of concurrent look-ups of sessions cost a few statements", async () => {
  const { store, connections, statements } = await openCounted();
  const session = { accountId: account, keyHash: "a1", lifetimeMs: 3_600_000 };
  await store.createKey({ accountId: account, keyId: "one", name: "", scopes, hash: "a1" }, note());
  await store.createSession({ ...session, hash: "s1" }, note());
  await store.createSession({ ...session, hash: "s2", lifetimeMs: 0 }, note());
  const find = findSession({ connections });
  const found = await many((index) => find(["s1", "s2", "s3"][index % 3]!));
  const accounts = found.map((each) => each?.account.accountId);
  expect(accounts.slice(-3)).toEqual([account, undefined, undefined]);
  expect(statements()).toBeLessThanOrEqual(mostStatements);
});

test("thousands of concurrent look-ups of clients and token holders cost a few statements", async () => {
  const { store, connections, statements } = await openCounted();
  await store.createClient(newClient("c"), note());
  await store.createClient(newClient("d", { accountId: otherAccount }), note());
  await store.revokeToken(account, 'revoked, {by} "name"', store.clock.now() + 3_600_000);
  const findOne = findClient({ connections });
  const clients = await many((index) => findOne(["c", "d", "e, {f}"][index % 3]!));
  expect(clients.slice(-3).map((each) => each?.client.clientId)).toEqual(["c", "d", undefined]);
  const findHolder = findTokenHolder({ connections });
  const tokens = [
    { accountId: account, clientId: "c", tokenId: null },
    { accountId: account, clientId: "d", tokenId: "t" },
    { accountId: otherAccount, clientId: null, tokenId: "t" },
    { accountId: account, clientId: "c", tokenId: 'revoked, {by} "name"' },
  ];
  const holders = await many((index) => findHolder(tokens[index % 4]!));
  expect(holders.slice(-4)).toMatchObject([
    { account: { accountId: account }, client: { clientId: "c" } },
    undefined,
    { account: { accountId: otherAccount }, client: null },
    undefined,
  ]);
  expect(statements()).toBeLessThanOrEqual(2 * mostStatements);
});
