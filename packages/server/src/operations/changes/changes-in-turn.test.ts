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

function turns() {
  let now = 0;
  const clock = { monotonic: () => now };
  const timers = { after: (_: number, callback: () => void) => immediately(callback) };
  const changes = new ChangesInTurn({ clock, timers, random: { fraction: () => 0.5 } });
  return { changes, pass: (ms: number) => void (now += ms) };
}

function immediately(callback: () => void) {
  const immediate = setImmediate(callback);
  return { cancel: () => clearImmediate(immediate) };
}

test("many at once do not disturb each other", async () => {
  const { changes } = turns();
  const thing = thingWith();
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => changes.make("it", thing.tryOnce)),
  );
  expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => index + 2));
  expect(thing.calls).toBe(200);
});

test("nor do those who come one after the other while others wait", async () => {
  const { changes } = turns();
  const thing = thingWith();
  const caller = async (): Promise<void> => {
    for (let count = 0; count < 50; count++) await changes.make("it", thing.tryOnce);
  };
  await Promise.all(Array.from({ length: 20 }, caller));
  expect(thing.calls).toBe(1_000);
});

test("changes of other things do not wait", async () => {
  const { changes } = turns();
  const held = Promise.withResolvers<string>();
  const one = changes.make("one", () => held.promise);
  expect(await changes.make("other", async () => "made")).toBe("made");
  held.resolve("made at last");
  expect(await one).toBe("made at last");
});

test("other nodes may be faster a few times, and not for ever", async () => {
  const { changes } = turns();
  expect(await changes.make("it", thingWith({ count: 9 }).tryOnce)).toBe(11);
  const never = thingWith({ count: Infinity });
  await expect(changes.make("it", never.tryOnce)).rejects.toThrow(StoreUnavailable);
  expect(never.calls).toBe(10);
});

test("those in line behind a store that does not answer do not wait for it one by one", async () => {
  const { changes, pass } = turns();
  const cut = Promise.withResolvers<never>();
  const tries: number[] = [];
  const make = (caller: number): Promise<never> =>
    changes.make("it", () => {
      tries.push(caller);
      return cut.promise;
    });
  const answers = Promise.allSettled([make(1), make(2), make(3)]);
  pass(8_000);
  cut.reject(new StoreUnavailable("no answer"));
  const reasons = (await answers).map((answer) => answer.status === "rejected" && answer.reason);
  for (const reason of reasons) expect(reason).toBeInstanceOf(StoreUnavailable);
  expect(tries).toEqual([1]);
});
