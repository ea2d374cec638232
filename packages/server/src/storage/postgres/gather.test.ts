import { expect, test } from "vitest";
import { StoreUnavailable } from "../store.ts";
import { StoreConflict } from "./connection-trouble.ts";
import { gather } from "./gather.ts";

const limits = {
  mostItems: 10,
  mostUnderWay: 1,
  onBatch: () => {},
  apart: (item: string) => item.slice(0, 1),
};

/** A store that answers when it is told to; `next` hands out each batch that reaches it. */
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

test("what waits behind a batch that the store left unanswered is refused with it", async () => {
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

test("what waits behind a batch that was itself at fault is called all the same", async () => {
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

test("a batch that came in somebody's way is tried again apart, and only the one at fault is refused", async () => {
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

test("what waits behind a batch that came in somebody's way is called all the same", async () => {
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

test("an outcome that is not known is never tried again", async () => {
  let calls = 0;
  const call = gather<string, string>(async () => {
    calls++;
    throw new StoreUnavailable("no answer");
  }, limits);
  const refused = await Promise.allSettled([call(["a"]), call(["b"])]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(calls).toBe(1);
});
