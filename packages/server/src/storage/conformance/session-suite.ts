import { expect, test } from "vitest";
import type { Scope } from "../../domain/access.ts";
import { mostSessionsOfKey } from "../../domain/session.ts";
import type { NewAccessKey, NewSession, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import { account, entriesOf, hour, inWaves, note, otherAccount, storesOf } from "./harness.ts";

const scopes: readonly Scope[] = ["scheduler.all.read"];
const key: NewAccessKey = { accountId: account, keyId: "k", name: "", scopes, hash: "key" };
const signIn = (hash: string, change: Partial<NewSession> = {}): NewSession => ({
  accountId: account,
  keyHash: "key",
  hash,
  lifetimeMs: hour,
  ...change,
});

export function sessionSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  async function withKey() {
    const opened = await open();
    await opened.store.createKey(key, note());
    return opened;
  }
  const exists = async (store: Store, hash: string): Promise<boolean> =>
    (await store.findSession(hash)) !== undefined;

  test("a session is found by its hash, with its account, also after a restart", async () => {
    const { store, reopen } = await withKey();
    const entry = note({ action: "session.created", subjectId: "k" });
    const made = await store.createSession(signIn("s"), entry);
    expect(made).toEqual({
      session: {
        accountId: account,
        keyId: "k",
        scopes,
        creationTime: expect.any(Number),
        expirationTime: made!.session.creationTime + hour,
      },
      displaced: false,
    });
    expect((await entriesOf(store))[0]).toMatchObject(entry);
    const again = await reopen();
    const found = { session: made!.session, account: await again.getAccount(account) };
    expect(await again.findSession("s")).toEqual(found);
    expect(await again.findSession("t")).toBeUndefined();
  });

  test("only a key of the account signs in, and a refusal leaves nothing behind", async () => {
    const { store } = await withKey();
    const refused = note({ subjectId: "refused" });
    expect(await store.createSession(signIn("s", { keyHash: "?" }), refused)).toBeUndefined();
    const theirs = signIn("s", { accountId: otherAccount });
    expect(await store.createSession(theirs, refused)).toBeUndefined();
    const nobodys = signIn("s", { accountId: "acc_nobody" });
    expect(await store.createSession(nobodys, refused)).toBeUndefined();
    expect(await exists(store, "s")).toBe(false);
    const noted = (await entriesOf(store, null)).map(({ subjectId }) => subjectId);
    expect(noted).not.toContain("refused");
  });

  test("a key has a limited number of sessions, also when calls sign in at once: the oldest end", async () => {
    const { store } = await withKey();
    await store.createKey({ ...key, keyId: "other", hash: "other" }, note());
    await store.createSession(signIn("of the other", { keyHash: "other" }), note());
    const made = await inWaves(mostSessionsOfKey + 5, (index) =>
      store.createSession(signIn(`s${index}`), note()),
    );
    expect(made.filter((each) => each!.displaced)).toHaveLength(5);
    const found = await inWaves(mostSessionsOfKey + 5, (index) => exists(store, `s${index}`));
    expect(found.filter(Boolean)).toHaveLength(mostSessionsOfKey);
    expect(await store.createSession(signIn("last"), note())).toMatchObject({ displaced: true });
    expect(await exists(store, "last")).toBe(true);
    expect(await exists(store, "of the other")).toBe(true);
  });

  test("a session ends once, and only its own account can end it", async () => {
    const { store } = await withKey();
    const { session } = (await store.createSession(signIn("s"), note()))!;
    await store.createSession(signIn("t"), note());
    const refused = note({ accountId: otherAccount, subjectId: "refused" });
    expect(await store.endSession(otherAccount, "s", refused)).toBeUndefined();
    expect(await exists(store, "s")).toBe(true);
    const entry = note({ action: "session.ended", subjectId: "k" });
    expect(await store.endSession(account, "s", entry)).toEqual(session);
    expect((await entriesOf(store))[0]).toMatchObject(entry);
    expect(await store.endSession(account, "s", refused)).toBeUndefined();
    expect(await exists(store, "s")).toBe(false);
    expect(await exists(store, "t")).toBe(true);
    const noted = (await entriesOf(store, null)).map(({ subjectId }) => subjectId);
    expect(noted).not.toContain("refused");
  });

  test("the end of a key ends its sessions, and only these", async () => {
    const { store } = await withKey();
    await store.createKey({ ...key, keyId: "other", hash: "other" }, note());
    await store.createSession(signIn("s"), note());
    await store.createSession(signIn("t", { keyHash: "other" }), note());
    await store.revokeKey(account, "k", note());
    expect(await exists(store, "s")).toBe(false);
    expect(await exists(store, "t")).toBe(true);
    // A key that comes back under the same id does not bring them back.
    await store.createKey(key, note());
    expect(await exists(store, "s")).toBe(false);
  });

  test("a replaced key has none of the sessions that it had", async () => {
    const { store } = await withKey();
    await store.createSession(signIn("s"), note());
    await store.replaceKey({ ...key, hash: "new" }, note());
    expect(await exists(store, "s")).toBe(false);
    expect(await store.createSession(signIn("t"), note())).toBeUndefined();
    expect(await store.createSession(signIn("t", { keyHash: "new" }), note())).toBeDefined();
  });

  test("a sign-in beside the end of its key leaves no session", async () => {
    const { store } = await withKey();
    const signIns = Array.from({ length: 10 }, (_, index) =>
      store.createSession(signIn(`s${index}`), note()),
    );
    await Promise.all([...signIns, store.replaceKey({ ...key, hash: "new" }, note())]);
    for (let index = 0; index < 10; index++) expect(await exists(store, `s${index}`)).toBe(false);
  });

  test("a suspended account keeps its sessions, a removed one loses them", async () => {
    const { store } = await withKey();
    await store.createKey({ ...key, accountId: otherAccount, hash: "theirs" }, note());
    const theirs = signIn("theirs", { accountId: otherAccount, keyHash: "theirs" });
    await store.createSession(theirs, note());
    await store.createSession(signIn("s"), note());
    await store.updateAccount(account, { state: "SUSPENDED" }, note());
    expect(await store.findSession("s")).toMatchObject({ account: { state: "SUSPENDED" } });
    await store.removeAccount(account, note());
    expect(await exists(store, "s")).toBe(false);
    expect(await store.createSession(signIn("t"), note())).toBeUndefined();
    expect(await exists(store, "theirs")).toBe(true);
  });

  test("an expired session does not exist, before its removal and after", async () => {
    const { store } = await withKey();
    await store.createSession(signIn("s", { lifetimeMs: 0 }), note());
    await store.createSession(signIn("t"), note());
    for (const removed of [1, 0]) {
      expect(await exists(store, "s")).toBe(false);
      expect(await store.endSession(account, "s", note())).toBeUndefined();
      expect((await store.removeExpired(10)).removed).toBe(removed);
    }
    expect(await exists(store, "t")).toBe(true);
  });
}
