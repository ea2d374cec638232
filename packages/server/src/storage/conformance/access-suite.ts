import { expect, test } from "vitest";
import type { NewAccessKey } from "../store.ts";
import type { MakePlace } from "./harness.ts";
import { account, note, otherAccount, storesOf } from "./harness.ts";

const key: NewAccessKey = {
  accountId: account,
  keyId: "key_1",
  name: "first",
  scopes: ["scheduler.messages.read"],
  hash: "aa",
};

export function accessSuite(makePlace: MakePlace): void {
  const open = storesOf(makePlace);

  test("an account is created once", async () => {
    const { store, reopen } = await open();
    expect(await store.ensureAccount("acc_new", "New")).toEqual({ created: true });
    expect(await store.ensureAccount("acc_new", "New")).toEqual({ created: false });
    expect(await (await reopen()).ensureAccount("acc_new", "New")).toEqual({ created: false });
  });

  test("the first encryption check is the one that is kept", async () => {
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
