import { expect, test } from "vitest";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  farFuture,
  makeTarget,
  newTarget,
  note,
  otherAccount,
  refTo,
  schedule,
  storesOf,
} from "./harness.ts";

const ref = { accountId: account, targetId: "t" };

export function targetSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("a target reads back as it was created, by id and by key, also after a restart", async () => {
    const { store, reopen } = await open();
    const target = await makeTarget(store, "t", {
      maxConcurrency: 7,
      rateLimit: { max: 3, intervalMs: 1_000 },
      paused: true,
    });
    expect(target).toMatchObject(
      newTarget("t", { maxConcurrency: 7, paused: true, rateLimit: { max: 3, intervalMs: 1_000 } }),
    );
    const again = await reopen();
    expect(await again.getTarget(ref)).toEqual(target);
    expect(await again.getTargetByKey(target.targetKey)).toEqual(target);
  });

  test("an id is used once in an account, and another account may use it too", async () => {
    const { store } = await open();
    const mine = await makeTarget(store, "t");
    expect(await store.createTarget(newTarget("t"), note())).toBe("exists");
    expect(await store.getTarget({ accountId: otherAccount, targetId: "t" })).toBeUndefined();
    const theirs = await makeTarget(store, "t", { accountId: otherAccount });
    expect(theirs.targetKey).not.toBe(mine.targetKey);
  });

  test("a change replaces the fields it names, and moves the revision on", async () => {
    const { store } = await open();
    const before = await makeTarget(store, "t");
    const result = await store.updateTarget(
      ref,
      { paused: true, sealedSecrets: "new" },
      null,
      note(),
    );
    expect(result).toMatchObject({ kind: "updated" });
    const after = (await store.getTarget(ref))!;
    expect(after).toMatchObject({ paused: true, sealedSecrets: "new", sealedSettings: "settings" });
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(await store.updateTarget(ref, { paused: false }, before.revision, note())).toEqual({
      kind: "changed-meanwhile",
    });
    expect(await store.updateTarget({ ...ref, targetId: "x" }, {}, null, note())).toEqual({
      kind: "not-found",
    });
  });

  test("targets are listed by id, page by page", async () => {
    const { store } = await open();
    for (const id of ["c", "a", "B", "b"]) await makeTarget(store, id);
    await makeTarget(store, "z", { accountId: otherAccount });
    const ids = async (after: string | null, limit: number) =>
      (await store.listTargets(account, { after, limit })).map((target) => target.targetId);
    expect(await ids(null, 10)).toEqual(["B", "a", "b", "c"]);
    expect(await ids("a", 1)).toEqual(["b"]);
    expect(await ids("c", 10)).toEqual([]);
  });

  test("a target can be removed only when nothing is scheduled for it, and may be created again", async () => {
    const { store } = await open();
    const target = await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    expect(await store.removeTarget(ref, note())).toEqual({ kind: "has-scheduled-messages" });
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    expect(await store.removeTarget(ref, note())).toMatchObject({ kind: "removed" });
    expect(await store.removeTarget(ref, note())).toEqual({ kind: "not-found" });
    expect(await store.getTarget(ref)).toBeUndefined();
    expect(await store.getTargetByKey(target.targetKey)).toBeUndefined();
    expect(await store.listTargets(account, { after: null, limit: 10 })).toEqual([]);
    await expect(schedule(store, "t", farFuture)).rejects.toThrow("no-target");
    expect(await store.getMessage(refTo(message))).toMatchObject({ targetId: "t" });
    const back = await makeTarget(store, "t", { maxConcurrency: 2 });
    expect(back.maxConcurrency).toBe(2);
    expect((await schedule(store, "t", farFuture)).state).toBe("SCHEDULED");
  });
}
