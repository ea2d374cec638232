import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, newClient, note, otherAccount } from "../../conformance/harness.ts";
import type { NewAccessKey } from "../../store.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

test("nodes that start together may all replace the same key", async () => {
  const { open } = await makeStores();
  const stores = await Promise.all([open(), open(), open()]);
  await stores[0].ensureAccount(account, "One");
  for (let round = 0; round < 5; round++) {
    const key: NewAccessKey = {
      accountId: account,
      keyId: "root",
      name: "root",
      scopes: ["scheduler.all.readwrite"],
      hash: `hash ${round}`,
    };
    const made = await Promise.all(stores.map((store) => store.replaceKey(key, note())));
    expect(made.map((each) => each?.keyId)).toEqual(["root", "root", "root"]);
    expect(await stores[0].listKeys(account)).toHaveLength(1);
    expect(await stores[1].findKey(`hash ${round}`)).toMatchObject({ key: { keyId: "root" } });
  }
});

test("creating keys and clients in one account does not wait for another account", async () => {
  const { database, open } = await makeStores();
  const store = await open({ deadlineMs: 60_000 });
  await store.ensureAccount(account, "One");
  await store.ensureAccount(otherAccount, "Other");
  const keyOf = (accountId: string, keyId: string): NewAccessKey => ({
    ...{ accountId, keyId, name: "", scopes: [] },
    hash: `${accountId} ${keyId}`,
  });
  // Acts as another node that is slow to make a key in the account.
  const slow = new pg.Client(database.url);
  await slow.connect();
  onTestFinished(() => slow.end());
  await slow.query("BEGIN");
  await slow.query("SELECT 1 FROM accounts WHERE account_id = $1 FOR UPDATE", [account]);
  const held = Array.from({ length: 8 }, (_, index) =>
    store.createKey(keyOf(account, `key_${index}`), note()),
  );
  const mine = { accountId: otherAccount };
  await store.createKey(keyOf(otherAccount, "key"), note());
  await store.replaceKey(keyOf(otherAccount, "key"), note());
  expect(await store.listKeys(otherAccount)).toHaveLength(1);
  expect(await store.revokeKey(otherAccount, "key", note())).toBeDefined();
  await store.createClient(newClient("c", mine), note());
  expect(await store.getClient(otherAccount, "c")).toBeDefined();
  expect(await store.listClients(otherAccount)).toHaveLength(1);
  const rotation = { ...mine, clientId: "c", secretHash: "hash 2", overlapMs: 0 };
  expect(await store.rotateClientSecret(rotation, note())).toBeDefined();
  expect(await store.removeClient(otherAccount, "c", note())).toBeDefined();
  await slow.query("COMMIT");
  const made = await Promise.all(held);
  expect(made.every((each) => typeof each === "object")).toBe(true);
});
