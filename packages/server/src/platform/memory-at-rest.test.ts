import { expect, test } from "vitest";
import { releaseHeap, MemoryAtRest } from "./memory-at-rest.ts";

/** Looks once for each share, and returns after how many looks memory was released. */
async function releasesAfter(shares: readonly number[]): Promise<number[]> {
  const releases: number[] = [];
  let callback = (): void => {};
  let looks = 0;
  const rest = new MemoryAtRest({
    timers: { after: (_, then) => ((callback = then), { cancel: () => {} }) },
    busyShare: () => shares[looks]!,
    release: () => releases.push(looks + 1),
  });
  await rest.start();
  for (; looks < shares.length; looks++) callback();
  return releases;
}

test("memory is released once a thread has been quiet four times in a row after its start", async () => {
  expect(await releasesAfter([0.9, 0, 0, 0, 0, 0, 0, 0, 0, 0])).toEqual([5]);
  expect(await releasesAfter([0.9, 0, 0, 0.1, 0, 0, 0, 0])).toEqual([8]);
});

test("it is released again only after real work", async () => {
  expect(await releasesAfter([0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0])).toEqual([4]);
  expect(await releasesAfter([0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0])).toEqual([4, 9]);
});

test("a busy thread keeps its memory", async () => {
  expect(await releasesAfter([0.9, 0.5, 0.06, 0.06, 0.9, 0.06, 0.06])).toEqual([]);
});

/** In a function of its own, so that nothing of the test holds the object. */
const referenceToGarbage = (): WeakRef<object> => new WeakRef({});

test("a collection removes garbage at once", async () => {
  const garbage = referenceToGarbage();
  // What an earlier turn of the event loop has made may be collected in this one.
  await new Promise((resolve) => setImmediate(resolve));
  releaseHeap();
  expect(garbage.deref()).toBeUndefined();
});
