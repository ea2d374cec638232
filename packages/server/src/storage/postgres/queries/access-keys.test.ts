import { expect, test } from "vitest";
import { account, note } from "../../conformance/harness.ts";
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
