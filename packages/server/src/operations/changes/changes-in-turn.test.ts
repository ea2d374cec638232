import { expect, test } from "vitest";
import { StoreUnavailable } from "../../storage/store.ts";
import { ChangesInTurn } from "./changes-in-turn.ts";

/** A thing with a revision, which takes a change only of what it is now. Each caller reads, then writes. */
function thingWith(rivals: { count: number } = { count: 0 }) {
  let revision = 1;
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    async tryOnce(): Promise<number | undefined> {
      calls++;
      const read = revision;
      await new Promise(setImmediate);
      if (rivals.count-- > 0) revision++;
      if (read !== revision) return undefined;
      return ++revision;
    },
  };
}

function clockAt() {
  let now = 0;
  return { monotonic: () => now, pass: (ms: number) => void (now += ms) };
}

test("many at once disturb each other once, and are made one after the other", async () => {
  const changes = new ChangesInTurn({ clock: clockAt() });
  const thing = thingWith();
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => changes.make("it", thing.tryOnce)),
  );
  expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => index + 2));
  expect(thing.calls).toBe(399);
});

test("other nodes may be faster a few times, and not for ever", async () => {
  const changes = new ChangesInTurn({ clock: clockAt() });
  expect(await changes.make("it", thingWith({ count: 9 }).tryOnce)).toBe(11);
  const never = thingWith({ count: Infinity });
  await expect(changes.make("it", never.tryOnce)).rejects.toThrow(StoreUnavailable);
  expect(never.calls).toBe(10);
});

test("those in line behind a store that does not answer do not wait for it one by one", async () => {
  const clock = clockAt();
  const changes = new ChangesInTurn({ clock });
  const cut = Promise.withResolvers<never>();
  const tries: number[] = [];
  const make = (caller: number) => {
    let isFirst = true;
    return changes.make("it", async () => {
      if (isFirst) return void (isFirst = false);
      tries.push(caller);
      return cut.promise;
    });
  };
  const answers = Promise.allSettled([make(1), make(2), make(3)]);
  await expect.poll(() => tries).toEqual([1]);
  clock.pass(8_000);
  cut.reject(new StoreUnavailable("no answer"));
  const reasons = (await answers).map((answer) => answer.status === "rejected" && answer.reason);
  for (const reason of reasons) expect(reason).toBeInstanceOf(StoreUnavailable);
  expect(tries).toEqual([1]);
});
