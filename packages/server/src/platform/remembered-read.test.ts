import { expect, test } from "vitest";
import { systemTimers } from "./timers.ts";
import { createRememberedRead } from "./remembered-read.ts";

const spacingMs = 20;

/** A source whose reads the test ends one by one, and a clock that the test moves. */
function openSource() {
  let now = 0;
  const begun: { answer(value: string): void; fail(error: Error): void }[] = [];
  const waiting: (() => void)[] = [];
  const reads = createRememberedRead<string>({
    read: () =>
      new Promise((resolve, reject) => {
        begun.push({ answer: resolve, fail: reject });
        waiting.shift()?.();
      }),
    clock: { monotonic: () => now },
    timers: systemTimers,
    freshMs: 1_000,
    usableMs: 5_000,
    spacingMs,
  });
  return {
    reads,
    begun,
    pass: (ms: number) => void (now += ms),
    /** Resolves when the next read begins. */
    nextBegins: () => new Promise<void>((resolve) => void waiting.push(resolve)),
  };
}

async function openRead(value: string) {
  const source = openSource();
  const first = source.reads.get();
  await Promise.resolve();
  source.begun[0]!.answer(value);
  expect(await first).toBe(value);
  return source;
}

test("a value is used for a while and then read again", async () => {
  const { reads, begun, pass } = await openRead("one");
  pass(1_000);
  expect(await reads.get()).toBe("one");
  expect(begun).toHaveLength(1);
  pass(1);
  const again = reads.get();
  await Promise.resolve();
  begun[1]!.answer("two");
  expect(await again).toBe("two");
});

test("callers during a read share it", async () => {
  const { reads, begun } = openSource();
  const all = [reads.get(), reads.get(), reads.get()];
  await Promise.resolve();
  begun[0]!.answer("one");
  expect(await Promise.all(all)).toEqual(["one", "one", "one"]);
  expect(begun).toHaveLength(1);
});

test("a newer value comes from a later read, shared by all callers, and not too soon", async () => {
  const { reads, begun, pass, nextBegins } = await openRead("one");
  pass(2_000);
  const old = reads.get();
  await Promise.resolve();
  const begins = nextBegins();
  const newer = [reads.getNewer(), reads.getNewer(), reads.getNewer()];
  begun[1]!.answer("two");
  expect(await old).toBe("two");
  const startedAt = performance.now();
  await begins;
  expect(performance.now() - startedAt).toBeGreaterThan(spacingMs / 2);
  begun[2]!.answer("three");
  expect(await Promise.all(newer)).toEqual(["three", "three", "three"]);
  expect(begun).toHaveLength(3);
  expect(await reads.get()).toBe("three");
});

test("while reads fail, the known value is used until it is too old", async () => {
  const { reads, begun, pass } = await openRead("one");
  pass(4_000);
  const stale = reads.get();
  await Promise.resolve();
  begun[1]!.fail(new Error("away"));
  expect(await stale).toBe("one");
  pass(1_001);
  const tooOld = reads.get();
  await Promise.resolve();
  begun[2]!.fail(new Error("still away"));
  await expect(tooOld).rejects.toThrow("still away");
});

test("a source that has just failed is not asked for a moment", async () => {
  const { reads, begun, pass } = openSource();
  const first = reads.get();
  await Promise.resolve();
  begun[0]!.fail(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await expect(reads.get()).rejects.toThrow("away");
  await expect(reads.getNewer()).rejects.toThrow("away");
  expect(begun).toHaveLength(1);
  pass(spacingMs);
  const again = reads.get();
  await Promise.resolve();
  begun[1]!.answer("back");
  expect(await again).toBe("back");
  expect(await reads.get()).toBe("back");
});

test("a read that runs when `forget` is called is not remembered", async () => {
  const { reads, begun } = openSource();
  const before = reads.get();
  await Promise.resolve();
  reads.forget();
  const after = reads.get();
  await Promise.resolve();
  begun[1]!.answer("new");
  expect(await after).toBe("new");
  begun[0]!.answer("old");
  expect(await before).toBe("old");
  expect(await reads.get()).toBe("new");
});
