import { expect, test } from "vitest";
import type { NewAccessKey, NewAccount } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import { account, entriesOf, newTarget, note, otherAccount, storesOf } from "./harness.ts";

const made: NewAccount = { accountId: "acc_new", name: "New" };
const firstKey: Omit<NewAccessKey, "accountId"> = {
  keyId: "key_first",
  name: "first",
  scopes: ["scheduler.all.readwrite"],
  hash: "hash of the first",
};
const requestLimit = { max: 10, intervalMs: 1_000 };

export function accountSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("an account is created with its first key, and reads back after a restart", async () => {
    const { store, reopen } = await open();
    const before = store.clock.now();
    const limits = { monthlyMessageLimit: 7, requestLimit };
    const notes = [note({ accountId: "acc_new" }), note({ accountId: "acc_new" })];
    const created = await store.createAccount({ ...made, ...limits }, firstKey, notes);
    expect(created).toEqual({
      ...made,
      ...limits,
      state: "ACTIVE",
      suspensionTime: null,
      creationTime: expect.any(Number),
    });
    const again = await reopen();
    expect(await again.getAccount("acc_new")).toEqual(created);
    const found = await again.findKey(firstKey.hash);
    expect(found?.account).toEqual(created);
    expect(found?.key).toMatchObject({ accountId: "acc_new", keyId: "key_first", name: "first" });
    expect(found!.account.creationTime).toBeGreaterThanOrEqual(before - 10);
    const written = await entriesOf(again, "acc_new");
    expect(written.map(({ entryId }) => entryId)).toEqual(
      notes.map(({ entryId }) => entryId).toReversed(),
    );
  });

  test("a limit that is left out gets the default; null means no limit", async () => {
    const { store } = await open({ monthlyMessageLimit: 3, requestLimit });
    expect(await store.createAccount(made, firstKey, [])).toMatchObject({
      monthlyMessageLimit: 3,
      requestLimit,
    });
    expect(await store.getAccount(account)).toMatchObject({ monthlyMessageLimit: 3, requestLimit });
    const free = { accountId: "acc_free", name: "", monthlyMessageLimit: null, requestLimit: null };
    const key = { ...firstKey, hash: "another" };
    expect(await store.createAccount(free, key, [])).toMatchObject(free);
  });

  test("an id is used once, and a refusal leaves no key and no audit entry", async () => {
    const { store } = await open();
    const key = { ...firstKey, hash: "never kept" };
    const refused = [note(), note({ accountId: otherAccount })];
    for (const accountId of [account, otherAccount]) {
      expect(await store.createAccount({ accountId, name: "Thief" }, key, refused)).toBe("exists");
    }
    expect(await store.getAccount(account)).toMatchObject({ name: "One" });
    expect(await store.findKey("never kept")).toBeUndefined();
    expect(await entriesOf(store, null)).toEqual([]);
  });

  test("nothing is stored of an account whose first key belongs to another", async () => {
    const { store } = await open();
    await store.createKey({ ...firstKey, accountId: account }, note());
    await expect(store.createAccount(made, firstKey, [note()])).rejects.toThrow();
    expect(await store.getAccount("acc_new")).toBeUndefined();
    expect(await entriesOf(store, null)).toHaveLength(1);
  });

  test("of concurrent calls for one id, one creates the account", async () => {
    const { store } = await open();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.createAccount({ ...made, name: `by ${index}` }, { ...firstKey, hash: `${index}` }, [
          note({ accountId: "acc_new" }),
        ]),
      ),
    );
    const winners = results.flatMap((result) => (result === "exists" ? [] : [result]));
    expect(winners).toHaveLength(1);
    expect(await store.getAccount("acc_new")).toEqual(winners[0]);
    expect(await store.listKeys("acc_new")).toHaveLength(1);
    expect(await entriesOf(store, "acc_new")).toHaveLength(1);
  });

  test("accounts are listed page by page, by the bytes of their ids", async () => {
    const { store } = await open();
    for (const id of ["acc_b", "acc_B", "acc-a", "acc_a"]) await store.ensureAccount(id, id);
    const ids = async (after: string | null, limit: number) =>
      (await store.listAccounts({ after, limit })).map(({ accountId }) => accountId);
    expect(await ids(null, 10)).toEqual([
      ...["acc-a", "acc_B", "acc_a", "acc_b"],
      ...["acc_one", "acc_two"],
    ]);
    expect(await ids("acc_B", 2)).toEqual(["acc_a", "acc_b"]);
    expect(await ids("acc_two", 10)).toEqual([]);
  });

  test("a change replaces the fields it names, and nothing of another account", async () => {
    const { store } = await open();
    const other = await store.getAccount(otherAccount);
    const entry = note();
    const change = { name: "Renamed", requestLimit, monthlyMessageLimit: 5 };
    const changed = await store.updateAccount(account, change, entry);
    expect(changed).toMatchObject({ ...change, state: "ACTIVE" });
    expect(await store.updateAccount(account, { requestLimit: null }, note())).toEqual({
      ...changed,
      requestLimit: null,
    });
    expect(await store.getAccount(account)).toEqual({ ...changed, requestLimit: null });
    expect(await store.getUsage(account)).toMatchObject({ limit: 5 });
    expect(await store.getAccount(otherAccount)).toEqual(other);
    expect((await entriesOf(store)).at(-1)).toMatchObject(entry);
  });

  test("a missing account cannot be changed, and a change without effect leaves no audit entry", async () => {
    const { store } = await open();
    expect(await store.updateAccount("acc_nobody", { name: "X" }, note())).toBeUndefined();
    expect(await store.getAccount("acc_nobody")).toBeUndefined();
    expect(await store.updateAccount(account, { name: "One", state: "ACTIVE" }, note())).toEqual(
      await store.getAccount(account),
    );
    expect(await entriesOf(store, null)).toEqual([]);
  });

  test("nothing can be created for a missing account", async () => {
    const { store } = await open();
    const nobody = { accountId: "acc_nobody" };
    expect(await store.createTarget(newTarget("t", nobody), note())).toBe("no-account");
    expect(await store.createKey({ ...firstKey, ...nobody }, note())).toBeUndefined();
    expect(await store.replaceKey({ ...firstKey, ...nobody }, note())).toBeUndefined();
    expect(await store.findKey(firstKey.hash)).toBeUndefined();
    expect(await entriesOf(store, null)).toEqual([]);
  });
}
