import { expect, test } from "vitest";
import { StoreUnavailable } from "../store.ts";
import { gather } from "./gather.ts";

const limits = { mostItems: 10, mostUnderWay: 1, onBatch: () => {} };

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
