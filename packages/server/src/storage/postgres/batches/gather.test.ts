import { expect, test } from "vitest";
import { StoreUnavailable } from "../../store.ts";
import { StoreConflict } from "../connections/connection-trouble.ts";
import { gather } from "./gather.ts";

const limits = {
  mostWeight: 10,
  mostUnderWay: 1,
  onBatch: () => {},
  apart: (item: string) => item.slice(0, 1),
};

/** A store that answers when the test tells it to. `next` hands out each batch that reaches it. */
function heldStore() {
  const arrived: PromiseWithResolvers<PromiseWithResolvers<string[]>>[] = [];
  let [seen, taken] = [0, 0];
  const at = (index: number) => (arrived[index] ??= Promise.withResolvers());
  return {
    handle: (): Promise<string[]> => {
      const answer = Promise.withResolvers<string[]>();
      at(seen++).resolve(answer);
      return answer.promise;
    },
    next: (): Promise<PromiseWithResolvers<string[]>> => at(taken++).promise,
  };
}

test("calls behind a batch that the store left unanswered are refused with it", async () => {
  const store = heldStore();
  const call = gather<string, string>(store.handle, limits);
  const first = call(["a"]);
  const batch = await store.next();
  const behind = call(["b"]);
  batch.reject(new StoreUnavailable("no answer"));
  await expect(first).rejects.toThrow(StoreUnavailable);
  await expect(behind).rejects.toThrow(StoreUnavailable);

  const later = call(["c"]);
  (await store.next()).resolve(["c kept"]);
  await expect(later).resolves.toEqual(["c kept"]);
});

test("calls behind a batch that was itself at fault are still made", async () => {
  const store = heldStore();
  const call = gather<string, string>(store.handle, limits);
  const first = call(["a"]);
  const batch = await store.next();
  const behind = call(["b"]);
  batch.reject(new Error("a bug"));
  await expect(first).rejects.toThrow("a bug");
  (await store.next()).resolve(["b kept"]);
  await expect(behind).resolves.toEqual(["b kept"]);
});

test("after a conflict each owner's calls are tried again apart, and only the one at fault is refused", async () => {
  const batches: string[][] = [];
  const call = gather<string, string>(async (items) => {
    batches.push([...items]);
    if (items.includes("b")) throw new StoreConflict("b is locked");
    return items.map((item) => `${item} kept`);
  }, limits);
  const [a1, b, a2, c] = ["a1", "b", "a2", "c"].map((item) => call([item]));
  await expect(b).rejects.toThrow(StoreConflict);
  expect(await Promise.all([a1, a2, c])).toEqual([["a1 kept"], ["a2 kept"], ["c kept"]]);
  expect(batches).toEqual([["a1", "b", "a2", "c"], ["a1", "a2"], ["b"], ["c"]]);
});

test("calls behind a batch with a conflict are still made", async () => {
  const store = heldStore();
  const call = gather<string, string>(store.handle, limits);
  const first = call(["a"]);
  const batch = await store.next();
  const behind = call(["b"]);
  batch.reject(new StoreConflict("locked"));
  await expect(first).rejects.toThrow(StoreConflict);
  (await store.next()).resolve(["b kept"]);
  await expect(behind).resolves.toEqual(["b kept"]);
});

test("a call with an unknown outcome is never tried again", async () => {
  let calls = 0;
  const call = gather<string, string>(async () => {
    calls++;
    throw new StoreUnavailable("no answer");
  }, limits);
  const refused = await Promise.allSettled([call(["a"]), call(["b"])]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(calls).toBe(1);
});

/** The batches that reach the store while more waits than fits one. */
async function batchesOf(
  calls: readonly (readonly string[])[],
  weigh: (item: string) => number = () => 1,
): Promise<string[][]> {
  const batches: string[][] = [];
  const call = gather<string, string>(
    async (items) => {
      batches.push([...items]);
      return [...items];
    },
    { ...limits, mostWeight: 1_000, weigh },
  );
  const answers = await Promise.all(calls.map((items) => call(items)));
  expect(answers).toEqual(calls);
  return batches;
}

test("a batch stays within its weight, unless a single call is heavier", async () => {
  const weigh = (item: string): number => Number(item.slice(1));
  const calls = [["a600"], ["a600"], ["a2000"], ["a300"], ["a300"]];
  const batches = await batchesOf(calls, weigh);
  expect(batches).toEqual([["a600"], ["a600"], ["a2000"], ["a300", "a300"]]);
});

test("an account's call does not wait for all calls of another account", async () => {
  const many = Array.from({ length: 700 }, () => "a");
  const batches = await batchesOf([many, many, many, ["b"], ["c"]]);
  expect(batches[0]!.filter((item) => item !== "a")).toEqual(["b", "c"]);
});

test("calls of one account keep their order when accounts take turns", async () => {
  const calls = Array.from({ length: 3_000 }, (_, at) => [`${"ab"[at % 2]}${at}`]);
  const batches = await batchesOf(calls);
  expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 1_000]);
  for (const account of ["a", "b"]) {
    const own = (items: readonly string[]) => items.filter((item) => item.startsWith(account));
    expect(own(batches.flat())).toEqual(own(calls.flat()));
  }
});

test("whoever watches can see how many calls wait for a batch", async () => {
  const store = heldStore();
  let waiting = (): number => NaN;
  const call = gather<string, string>(store.handle, {
    ...limits,
    watch: (read) => (waiting = read),
  });
  expect(waiting()).toBe(0);
  const first = call(["a"]);
  expect(waiting()).toBe(1);
  const batch = await store.next();
  expect(waiting()).toBe(0);
  const behind = [call(["b"]), call(["c"])];
  expect(waiting()).toBe(2);
  batch.resolve(["a kept"]);
  (await store.next()).resolve(["b kept", "c kept"]);
  expect(waiting()).toBe(0);
  expect(await Promise.all([first, ...behind])).toEqual([["a kept"], ["b kept"], ["c kept"]]);
});
