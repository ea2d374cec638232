import { expect, test } from "vitest";
import { mostKeys } from "../../domain/access.ts";
import type { NewAccessKey } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import { account, entriesOf, inWaves, note, otherAccount, storesOf } from "./harness.ts";

const key: NewAccessKey = {
  accountId: account,
  keyId: "key_1",
  name: "first",
  scopes: ["scheduler.messages.read"],
  hash: "aa",
};

export function accessSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("an account is created once", async () => {
    const { store, reopen } = await open();
    expect(await store.ensureAccount("acc_new", "New")).toEqual({ created: true });
    expect(await store.ensureAccount("acc_new", "New")).toEqual({ created: false });
    expect(await (await reopen()).ensureAccount("acc_new", "New")).toEqual({ created: false });
  });

  test("the store keeps the first encryption check", async () => {
    const { store, reopen } = await open();
    expect(await store.encryptionCheck()).toBeNull();
    const kept = await Promise.all(
      ["one", "two"].map((sealed) => store.keepEncryptionCheck(sealed)),
    );
    expect(new Set(kept).size).toBe(1);
    const again = await reopen();
    expect(await again.keepEncryptionCheck("three")).toBe(kept[0]);
    expect(await again.encryptionCheck()).toBe(kept[0]);
  });

  test("a key is found by its hash and shown without it", async () => {
    const { store, reopen } = await open();
    const made = await store.createKey(key, note());
    const { hash: _, ...shown } = key;
    expect(made).toMatchObject(shown);
    expect(made).not.toHaveProperty("hash");
    const again = await reopen();
    expect((await again.findKey("aa"))?.key).toEqual(made);
    expect(await again.findKey("bb")).toBeUndefined();
    expect(await again.listKeys(account)).toEqual([made]);
    expect(await again.listKeys(otherAccount)).toEqual([]);
  });

  test("replacing a key leaves one, with the new hash", async () => {
    const { store } = await open();
    await store.createKey(key, note());
    await store.replaceKey({ ...key, hash: "bb" }, note());
    expect(await store.findKey("aa")).toBeUndefined();
    expect(await store.findKey("bb")).toMatchObject({ key: { keyId: "key_1" } });
    expect(await store.listKeys(account)).toHaveLength(1);
  });

  test("an account has a limited number of keys, also when calls create them at once", async () => {
    const { store } = await open();
    const nth = (index: number) => ({ ...key, keyId: `key_${index}`, hash: `hash ${index}` });
    const made = await inWaves(mostKeys + 5, (index) => store.createKey(nth(index), note()));
    expect(made.filter((each) => each === "too-many")).toHaveLength(5);
    expect(await store.listKeys(account)).toHaveLength(mostKeys);
    expect(await store.createKey(nth(5_000), note({ subjectId: "refused" }))).toBe("too-many");
    const noted = (await entriesOf(store)).map(({ subjectId }) => subjectId);
    expect(noted).not.toContain("refused");
    expect(await store.findKey("hash 5000")).toBeUndefined();
    const theirs = { ...nth(5_001), accountId: otherAccount };
    expect(await store.createKey(theirs, note())).toMatchObject({ keyId: "key_5001" });
    // Keys of the service and of the operator ignore the account's limit.
    expect(await store.replaceKey(nth(5_002), note())).toMatchObject({ keyId: "key_5002" });
    expect(await store.createKey(nth(5_003), note())).toBe("too-many");
    const [first, second] = await store.listKeys(account);
    await store.revokeKey(account, first!.keyId, note());
    await store.revokeKey(account, second!.keyId, note());
    expect(await store.createKey(nth(5_003), note())).toMatchObject({ keyId: "key_5003" });
  });

  test("a revoked key is gone, and only its own account can revoke it", async () => {
    const { store } = await open();
    await store.createKey(key, note());
    expect(await store.revokeKey(otherAccount, "key_1", note())).toBeUndefined();
    expect(await store.findKey("aa")).toBeDefined();
    expect(await store.revokeKey(account, "key_1", note())).toMatchObject({ name: "first" });
    expect(await store.revokeKey(account, "key_1", note())).toBeUndefined();
    expect(await store.findKey("aa")).toBeUndefined();
  });
}
