import { expect, test } from "vitest";
import type { Target } from "../../domain/target.ts";
import type { OpenTarget } from "./lane.ts";
import { TargetCopies } from "./target-copies.ts";

/** A store whose reads the test answers one by one. */
function heldReads() {
  const reads: { targetKey: number; answer(revision: number | undefined): void }[] = [];
  const copies = new TargetCopies({
    store: {
      getTargetByKey: (targetKey) =>
        new Promise((resolve) => {
          const answer = (revision: number | undefined): void =>
            resolve(revision === undefined ? undefined : ({ targetKey, revision } as Target));
          reads.push({ targetKey, answer });
        }),
    },
    openTarget: (target) => target as OpenTarget,
    bounds: { mostCopies: 100 },
  });
  return { copies, reads };
}

test("callers during a read share it, and later callers share the copy", async () => {
  const { copies, reads } = heldReads();
  const both = Promise.all([copies.load(1), copies.load(1)]);
  await expect.poll(() => reads.length).toBe(1);
  reads[0]!.answer(3);
  expect((await both).map((copy) => copy?.revision)).toEqual([3, 3]);
  expect(copies.get(1)?.revision).toBe(3);
});

test("a target that changes during the read is read again", async () => {
  const { copies, reads } = heldReads();
  const loading = copies.load(1);
  await expect.poll(() => reads.length).toBe(1);
  copies.forget(1);
  reads[0]!.answer(3);
  await expect.poll(() => reads.length).toBe(2);
  reads[1]!.answer(4);
  expect((await loading)?.revision).toBe(4);
  expect(copies.get(1)?.revision).toBe(4);
});

test("a target that changes faster than it can be read is used and not cached", async () => {
  const { copies, reads } = heldReads();
  const loading = copies.load(1);
  for (let revision = 1; revision <= 5; revision++) {
    await expect.poll(() => reads.length).toBe(revision);
    copies.forget(1);
    reads.at(-1)!.answer(revision);
  }
  expect((await loading)?.revision).toBe(5);
  expect(copies.get(1)).toBeUndefined();
});

test("news of a revision drops an older copy and keeps a newer one", async () => {
  const { copies, reads } = heldReads();
  const loading = copies.load(1);
  await expect.poll(() => reads.length).toBe(1);
  reads[0]!.answer(3);
  await loading;
  copies.forgetOlderThan(3, 1);
  expect(copies.get(1)).toBeDefined();
  copies.forgetOlderThan(4, 1);
  expect(copies.get(1)).toBeUndefined();
});

test("the number of copies is bounded, and recently used ones stay", async () => {
  const { copies, reads } = heldReads();
  for (let targetKey = 1; targetKey <= 105; targetKey++) {
    const loading = copies.load(targetKey);
    await Promise.resolve();
    reads.pop()!.answer(1);
    await loading;
    copies.get(1);
  }
  const kept = Array.from({ length: 105 }, (_, index) => index + 1).filter(
    (targetKey) => copies.get(targetKey) !== undefined,
  );
  expect(kept).toHaveLength(100);
  expect(kept[0]).toBe(1);
});

test("a target that does not exist gives undefined, and is read again the next time", async () => {
  const { copies, reads } = heldReads();
  for (const count of [1, 2]) {
    const loading = copies.load(1);
    await expect.poll(() => reads.length).toBe(count);
    reads.at(-1)!.answer(undefined);
    expect(await loading).toBeUndefined();
  }
});
