import { expect, test } from "vitest";
import type { AuditNote } from "../../domain/audit.ts";
import type { AuditQuery, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  entriesOf,
  farFuture,
  hour,
  makeTarget,
  newTarget,
  note,
  otherAccount,
  schedule,
  storesOf,
} from "./harness.ts";

const ref = { accountId: account, targetId: "t" };
const key = { accountId: account, keyId: "k", name: "", scopes: [], hash: "h" };

/** Writes this many entries one after the other, for the two accounts and for none. */
async function writeMany(store: Store, count: number): Promise<AuditNote[]> {
  const written: AuditNote[] = [];
  let newest: string | null = null;
  for (let index = 0; index < count; index++) {
    const accountId = [account, otherAccount, null][index % 3]!;
    const entry = note({ accountId, subjectId: `${index}` });
    const made = { keyId: `${index}`, publicKey: "", sealedPrivateKey: "" };
    expect(await store.addSigningKey(made, newest, entry)).toBe(true);
    newest = made.keyId;
    written.push(entry);
  }
  return written;
}

export function auditSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("an entry reads back as it was written, with the store's time", async () => {
    const { store, reopen } = await open();
    const from = store.clock.now();
    const entry = note({
      actor: { kind: "subject", id: "somebody 🙂" },
      requestId: null,
      action: "target.created",
      detail: { text: "a\nb", many: ["x", "y"], count: 3, flag: false, nothing: null },
    });
    await store.createTarget(newTarget("t"), entry);
    const again = await reopen();
    const [read, ...others] = await entriesOf(again);
    expect(others).toEqual([]);
    expect(read).toEqual({ ...entry, time: expect.any(Number) });
    expect(read!.time).toBeGreaterThanOrEqual(from - 10);
    expect(read!.time).toBeLessThanOrEqual(again.clock.now() + 10);
  });

  test("every change of a target or key leaves its audit entry, and nothing else does", async () => {
    const { store } = await open();
    const expected: AuditNote[] = [];
    const noted = (): AuditNote => {
      const entry = note();
      expected.unshift(entry);
      return entry;
    };
    const target = await store.createTarget(newTarget("t"), noted());
    const { revision } = target as { revision: number };
    expect(await store.createTarget(newTarget("t"), note())).toBe("exists");
    await store.updateTarget(ref, { paused: true }, revision, noted());
    await store.updateTarget(ref, { paused: false }, revision, note());
    await store.updateTarget({ ...ref, targetId: "x" }, {}, null, note());
    await store.updateTarget({ ...ref, accountId: otherAccount }, {}, null, note());
    const message = await schedule(store, "t", farFuture);
    await store.removeTarget(ref, note());
    await store.cancelMessage({ accountId: account, messageId: message.messageId, waitMs: 0 });
    await store.removeTarget({ ...ref, accountId: otherAccount }, note());
    await store.removeTarget(ref, noted());
    await store.removeTarget(ref, note());

    await store.createKey(key, noted());
    await expect(store.createKey({ ...key, keyId: "other" }, note())).rejects.toThrow();
    await store.replaceKey({ ...key, hash: "new" }, noted());
    await store.revokeKey(otherAccount, "k", note());
    await store.revokeKey(account, "k", noted());
    await store.revokeKey(account, "k", note());
    const ids = (await entriesOf(store, null)).map(({ entryId }) => entryId);
    expect(ids.toSorted()).toEqual(expected.map(({ entryId }) => entryId).toSorted());
  });

  test("a change whose audit entry cannot be written does not happen", async () => {
    const { store } = await open();
    const target = await makeTarget(store, "t");
    await store.createKey(key, note());
    const client = { ...key, clientId: "c", secretHash: "s" };
    await store.createClient(client, note());
    const [taken] = await entriesOf(store);
    const twice = { ...note(), entryId: taken!.entryId };
    const fails = [
      store.createTarget(newTarget("new"), twice),
      store.updateTarget(ref, { paused: true }, null, twice),
      store.removeTarget(ref, twice),
      store.createKey({ ...key, keyId: "new", hash: "new" }, twice),
      store.replaceKey({ ...key, hash: "new" }, twice),
      store.revokeKey(account, "k", twice),
      store.createClient({ ...client, clientId: "new" }, twice),
      store.rotateClientSecret({ ...client, secretHash: "new", overlapMs: 0 }, twice),
      store.removeClient(account, "c", twice),
      store.addSigningKey({ keyId: "new", publicKey: "", sealedPrivateKey: "" }, null, twice),
      store.updateAccount(account, { state: "SUSPENDED", monthlyMessageLimit: 1 }, twice),
      store.createAccount({ accountId: "acc_new", name: "" }, { ...key, hash: "n" }, [twice]),
    ];
    const results = await Promise.allSettled(fails);
    expect(results.map(({ status }) => status)).toEqual(fails.map(() => "rejected"));

    expect(await store.listTargets(account, { after: null, limit: 9 })).toEqual([target]);
    expect(await store.listKeys(account)).toHaveLength(1);
    expect((await store.findKey("h"))?.account).toMatchObject({
      state: "ACTIVE",
      monthlyMessageLimit: null,
    });
    expect((await store.findClient("c"))?.secrets.current).toBe("s");
    expect(await store.listClients(account)).toHaveLength(1);
    expect(await store.listSigningKeys()).toEqual([]);
    expect(await store.getAccount("acc_new")).toBeUndefined();
    expect(await entriesOf(store, null)).toHaveLength(3);

    await store.updateAccount(account, { state: "SUSPENDED" }, note());
    await expect(store.removeAccount(account, twice)).rejects.toThrow();
    expect(await store.getTarget(ref)).toEqual(target);
    expect(await store.findKey("h")).toBeDefined();
    expect((await schedule(store, "t", farFuture)).state).toBe("SCHEDULED");
  });

  test("entries are listed newest first, for one account or for all", async () => {
    const { store } = await open();
    const written = (await writeMany(store, 9)).toReversed();
    const ids = async (accountId: string | null) =>
      (await entriesOf(store, accountId)).map(({ entryId }) => entryId);
    const idsOf = (accountId: string) =>
      written.filter((entry) => entry.accountId === accountId).map(({ entryId }) => entryId);
    expect(await ids(null)).toEqual(written.map(({ entryId }) => entryId));
    expect(await ids(account)).toEqual(idsOf(account));
    expect(await ids(otherAccount)).toEqual(idsOf(otherAccount));
    expect(await ids("acc_nobody")).toEqual([]);
  });

  test("paging meets every entry once, and both time bounds are inclusive", async () => {
    const { store } = await open();
    await writeMany(store, 12);
    for (const accountId of [null, account]) {
      const all = await entriesOf(store, accountId);
      const walked: typeof all = [];
      let after: AuditQuery["after"] = null;
      for (;;) {
        const query = { accountId, minTime: null, maxTime: null, after, limit: 3 };
        const page = await store.listAuditEntries(query);
        if (page.length === 0) break;
        walked.push(...page);
        after = page.at(-1)!;
        // Entries written now are newer than all that the walk has left to read.
        await store.createKey({ ...key, keyId: after.entryId, hash: after.entryId }, note());
        await store.revokeKey(account, after.entryId, note());
      }
      expect(walked).toEqual(all);
      const [minTime, maxTime] = [all.at(-2)!.time, all[1]!.time];
      const bounded = { accountId, minTime, maxTime, after: null, limit: 99 };
      // Entries written meanwhile may have the same millisecond.
      const present = await entriesOf(store, accountId);
      expect(await store.listAuditEntries(bounded)).toEqual(
        present.filter(({ time }) => time >= minTime && time <= maxTime),
      );
      expect(await store.listAuditEntries({ ...bounded, after: all[3]! })).toEqual(
        all.slice(4).filter(({ time }) => time >= minTime),
      );
    }
  });

  test("entries are removed after their retention, in batches, and not before", async () => {
    const { store, reopen } = await open({ auditRetentionMs: hour });
    await writeMany(store, 5);
    expect((await store.removeExpired(10)).removed).toBe(0);
    const again = await reopen({ auditRetentionMs: 0 });
    await expect
      .poll(() => again.clock.now())
      .toBeGreaterThan((await entriesOf(again, null))[0]!.time);
    expect((await again.removeExpired(3)).removed).toBe(3);
    expect((await entriesOf(again, null)).map(({ subjectId }) => subjectId)).toEqual(["4", "3"]);
    expect((await again.removeExpired(3)).removed).toBe(2);
  });
}
