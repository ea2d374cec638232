import { expect, test } from "vitest";
import { mostClients } from "../../domain/client.ts";
import type { Client } from "../../domain/client.ts";
import type { Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  entriesOf,
  hour,
  inWaves,
  newClient,
  note,
  otherAccount,
  storesOf,
} from "./harness.ts";

const rotation = { accountId: account, clientId: "c", secretHash: "hash 2", overlapMs: hour };
const token = { accountId: account, clientId: "c", tokenId: "token 1" };

async function createOne(store: Store, clientId: string, entry = note()): Promise<Client> {
  const made = await store.createClient(newClient(clientId), entry);
  if (typeof made !== "object") throw new Error(`client ${clientId} was not made`);
  return made;
}

export function clientSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("a client is found by its id alone, with its secret's hash and its account", async () => {
    const { store, reopen } = await open();
    const entry = note();
    const made = await createOne(store, "c", entry);
    const { secretHash: _, ...shown } = newClient("c");
    expect(made).toEqual({
      ...shown,
      creationTime: expect.any(Number),
      secretTime: made.creationTime,
    });
    const again = await reopen();
    expect(await again.findClient("c")).toEqual({
      client: made,
      secrets: { current: "hash 1", previous: null, previousUntil: null },
      account: await again.getAccount(account),
    });
    expect(await again.findClient("C")).toBeUndefined();
    expect(await again.getClient(account, "c")).toEqual(made);
    expect(await entriesOf(again)).toMatchObject([entry]);
  });

  test("an id is used once over all accounts", async () => {
    const { store } = await open();
    await store.createClient(newClient("c"), note());
    const theirs = newClient("c", { accountId: otherAccount });
    await expect(store.createClient(theirs, note())).rejects.toThrow();
    expect((await store.findClient("c"))?.account.accountId).toBe(account);
    expect(await entriesOf(store, null)).toHaveLength(1);
  });

  test("clients are listed for one account, in the order of their creation", async () => {
    const { store } = await open();
    for (const id of ["z", "b", "a"]) {
      const { creationTime } = await createOne(store, id);
      await expect.poll(() => store.clock.now()).toBeGreaterThan(creationTime + 2);
    }
    await store.createClient(newClient("theirs", { accountId: otherAccount }), note());
    const ids = async (accountId: string) =>
      (await store.listClients(accountId)).map(({ clientId }) => clientId);
    expect(await ids(account)).toEqual(["z", "b", "a"]);
    expect(await ids(otherAccount)).toEqual(["theirs"]);
    expect(await ids("acc_nobody")).toEqual([]);
  });

  test("an account has a limited number of clients, also when calls create them at once", async () => {
    const { store } = await open();
    const made = await inWaves(mostClients + 5, (index) =>
      store.createClient(newClient(`c${index}`), note()),
    );
    expect(made.filter((each) => each === "too-many")).toHaveLength(5);
    expect(await store.listClients(account)).toHaveLength(mostClients);
    expect(await store.createClient(newClient("beyond"), note())).toBe("too-many");
    expect(await store.findClient("beyond")).toBeUndefined();
    const theirs = newClient("theirs", { accountId: otherAccount });
    expect(await store.createClient(theirs, note())).toMatchObject({ clientId: "theirs" });
    const [first] = await store.listClients(account);
    await store.removeClient(account, first!.clientId, note());
    expect(await store.createClient(newClient("next"), note())).toMatchObject({ clientId: "next" });
  });

  test("another account cannot find, rotate or remove the client", async () => {
    const { store } = await open();
    await store.createClient(newClient("c"), note());
    const before = await store.findClient("c");
    expect(await store.getClient(otherAccount, "c")).toBeUndefined();
    const foreign = { ...rotation, accountId: otherAccount };
    expect(await store.rotateClientSecret(foreign, note())).toBeUndefined();
    expect(await store.removeClient(otherAccount, "c", note())).toBeUndefined();
    expect(await store.findTokenHolder({ ...token, accountId: otherAccount })).toBeUndefined();
    expect(await store.findClient("c")).toEqual(before);
    expect(await entriesOf(store, null)).toHaveLength(1);
  });

  test("the old secret stays valid beside the new one for the given time", async () => {
    const { store } = await open();
    const made = await createOne(store, "c");
    await expect.poll(() => store.clock.now()).toBeGreaterThan(made.creationTime + 5);
    const rotated = await store.rotateClientSecret(rotation, note());
    expect(rotated).toEqual({ ...made, secretTime: expect.any(Number) });
    expect(rotated!.secretTime).toBeGreaterThan(made.secretTime);
    expect((await store.findClient("c"))!.secrets).toEqual({
      current: "hash 2",
      previous: "hash 1",
      previousUntil: rotated!.secretTime + hour,
    });
    // The secret before the previous one is no longer valid.
    await store.rotateClientSecret({ ...rotation, secretHash: "hash 3" }, note());
    expect((await store.findClient("c"))!.secrets).toMatchObject({
      current: "hash 3",
      previous: "hash 2",
    });
  });

  test("without an overlap, and after it, the old secret is invalid", async () => {
    const { store } = await open();
    await store.createClient(newClient("c"), note());
    const alone = { current: "hash 2", previous: null, previousUntil: null };
    await store.rotateClientSecret({ ...rotation, overlapMs: 0 }, note());
    expect((await store.findClient("c"))!.secrets).toEqual(alone);
    const brief = { ...rotation, secretHash: "hash 3", overlapMs: 40 };
    await store.rotateClientSecret(brief, note());
    await expect
      .poll(async () => (await store.findClient("c"))!.secrets)
      .toEqual({ ...alone, current: "hash 3" });
  });

  test("a removed client is gone, and so are its tokens", async () => {
    const { store } = await open();
    const made = await store.createClient(newClient("c"), note());
    expect(await store.removeClient(account, "c", note())).toEqual(made);
    expect(await store.removeClient(account, "c", note())).toBeUndefined();
    expect(await store.rotateClientSecret(rotation, note())).toBeUndefined();
    expect(await store.findClient("c")).toBeUndefined();
    expect(await store.findTokenHolder(token)).toBeUndefined();
    expect(await entriesOf(store)).toHaveLength(2);
  });

  test("a token's holder is its account and client; a token from another issuer has no client", async () => {
    const { store } = await open();
    const client = await store.createClient(newClient("c"), note());
    const ofAccount = await store.getAccount(account);
    expect(await store.findTokenHolder(token)).toEqual({ account: ofAccount, client });
    expect(await store.findTokenHolder({ ...token, tokenId: null })).toEqual({
      account: ofAccount,
      client,
    });
    const foreign = { accountId: account, clientId: null, tokenId: null };
    expect(await store.findTokenHolder(foreign)).toEqual({ account: ofAccount, client: null });
    expect(await store.findTokenHolder({ ...token, clientId: "x" })).toBeUndefined();
    expect(await store.findTokenHolder({ ...foreign, accountId: "acc_nobody" })).toBeUndefined();
  });

  test("a revoked token has no holder until its expiry, and other tokens are unaffected", async () => {
    const { store } = await open();
    await store.createClient(newClient("c"), note());
    const soon = store.clock.now() + 300;
    await store.revokeToken(account, "token 1", soon);
    await store.revokeToken(account, "token 1", soon);
    await store.revokeToken(account, "token 2", soon + hour);
    const found = async (tokenId: string) =>
      (await store.findTokenHolder({ ...token, tokenId })) !== undefined;
    expect(await found("token 3")).toBe(true);
    expect(await found("token 2")).toBe(false);
    await expect.poll(() => found("token 1")).toBe(true);
    expect(store.clock.now()).toBeGreaterThanOrEqual(soon - 10);
    expect((await store.removeExpired(10)).removed).toBe(1);
    expect((await store.removeExpired(10)).removed).toBe(0);
    expect(await found("token 2")).toBe(false);
  });
}
