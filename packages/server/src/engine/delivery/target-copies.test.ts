import { expect, test } from "vitest";
import type { Target } from "../../domain/target.ts";
import type { OpenTarget } from "./lane.ts";
import { TargetCopies } from "./target-copies.ts";

/** A store whose reads the test answers one by one. */
function heldReads() {
  const reads: {
    targetKey: number;
    answer(revision: number | undefined, sealed?: Pick<Target, "sealedSettings">): void;
  }[] = [];
  const copies = new TargetCopies({
    store: {
      getTargetByKey: (targetKey) =>
        new Promise((resolve) => {
          const small = { sealedSettings: "", sealedSecrets: "" };
          const answer: (typeof reads)[number]["answer"] = (revision, sealed) => {
            const target = { targetKey, revision, ...small, ...sealed };
            resolve(revision === undefined ? undefined : (target as Target));
          };
          reads.push({ targetKey, answer });
        }),
    },
    openTarget: (target) => target as OpenTarget,
    bounds: { mostCopies: 100, mostSealedCharacters: 10_000 },
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

test("copies are bounded by their size, too, and recently used ones stay", async () => {
  const { copies, reads } = heldReads();
  const keep = async (targetKey: number, size: number): Promise<void> => {
    const loading = copies.load(targetKey);
    await Promise.resolve();
    reads.pop()!.answer(1, { sealedSettings: "s".repeat(size) });
    await loading;
  };
  const kept = () =>
    Array.from({ length: 20 }, (_, index) => index + 1).filter(
      (targetKey) => copies.get(targetKey) !== undefined,
    );
  for (let targetKey = 1; targetKey <= 12; targetKey++) {
    await keep(targetKey, 1_000);
    copies.get(1);
  }
  expect(kept()).toEqual([1, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  await keep(13, 3_500);
  expect(kept()).toEqual([7, 8, 9, 10, 11, 12, 13]);
  copies.forget(13);
  await keep(14, 4_000);
  expect(kept()).toEqual([7, 8, 9, 10, 11, 12, 14]);
  await keep(14, 1_000);
  for (let targetKey = 15; targetKey <= 17; targetKey++) await keep(targetKey, 1_000);
  expect(kept()).toEqual([7, 8, 9, 10, 11, 12, 14, 15, 16, 17]);
  await keep(18, 20_000);
  expect(kept()).toEqual([18]);
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
