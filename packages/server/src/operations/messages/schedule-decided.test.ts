import { expect, test } from "vitest";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { ScheduleRequest, ScheduleResult } from "../../storage/store.ts";
import { holderWaitPlaces } from "./holder-waits.ts";
import { scheduleDecided } from "./schedule-decided.ts";

function keyed(accountId = "a"): ScheduleRequest {
  return {
    ...{ accountId, targetId: "t", deliveryTime: 0, payload: "" },
    ...{ options: { key: "k" }, idempotency: null },
    wantedKey: { key: "k", onConflict: "replace", maxWaitMs: null },
  };
}

const cancelWaitMs = 5_000;

/** A store whose messages are in flight, with a clock that only passes in pauses and in asks. */
function inFlight(holderOf: (index: number) => string | null) {
  let now = 0;
  let askMs = 0;
  let areOver = false;
  const [asked, waiting, pauses]: [number[], string[], number[]] = [[], [], []];
  const ends: (() => void)[] = [];
  const options = {
    cancelWaitMs,
    holderWaits: new PlacesInTurn(holderWaitPlaces),
    clock: { monotonic: () => now },
    timers: {
      after(delayMs: number, callback: () => void) {
        // The end of the wait itself comes only when the test says so.
        if (delayMs > 250) return { cancel: () => {} };
        pauses.push(delayMs);
        now += delayMs;
        queueMicrotask(callback);
        return { cancel: () => {} };
      },
    },
    store: {
      async scheduleMessages(requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]> {
        asked.push(requests.length);
        now += askMs;
        return requests.map((_, index) =>
          areOver ? { kind: "too-late" } : { kind: "held", messageId: holderOf(index) },
        );
      },
      rescheduleMessage({ accountId }: { readonly accountId: string }): Promise<never> {
        waiting.push(accountId);
        return new Promise((resolve) => ends.push(() => resolve({ kind: "too-late" } as never)));
      },
    },
  };
  return {
    ...{ options, asked, waiting, pauses },
    takingMs: (ms: number) => (askMs = ms),
    /** Ends every attempt, also those that calls wait for in line. */
    async end(): Promise<void> {
      areOver = true;
      for (let next = ends.shift(); next !== undefined; next = ends.shift()) {
        next();
        await settled();
      }
    },
  };
}

const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
const many = (count: number, accountId?: string): ScheduleRequest[] =>
  Array.from({ length: count }, () => keyed(accountId));

test("a call waits once for a holder, however many of its messages want the key", async () => {
  const { options, asked, waiting, end } = inFlight(() => "msg_1");
  const answer = scheduleDecided(options, many(1_000));
  await settled();
  expect(waiting).toEqual(["a"]);
  await end();
  expect(new Set((await answer).map(({ kind }) => kind))).toEqual(new Set(["too-late"]));
  expect(asked).toEqual([1_000, 1_000]);
});

test("an account waits for a few holders at once, and no other account waits behind it", async () => {
  const { options, waiting, end } = inFlight((index) => `msg_${index}`);
  const calls = [many(100), many(100), many(1, "b")].map((each) => scheduleDecided(options, each));
  await settled();
  expect(waiting).toEqual([...Array.from({ length: 16 }, () => "a"), "b"]);
  await end();
  await Promise.all(calls);
  expect(waiting).toHaveLength(201);
});

test("a call whose caller hangs up neither waits nor asks any longer", async () => {
  const { options, asked, waiting, end } = inFlight((index) => `msg_${index}`);
  const callerGone = new AbortController();
  const answer = scheduleDecided(options, many(100), () => callerGone.signal);
  await settled();
  callerGone.abort();
  expect(new Set((await answer).map(({ kind }) => kind))).toEqual(new Set(["held"]));
  await end();
  expect(asked).toEqual([100]);
  expect(waiting).toHaveLength(16);
});

test("a call that need not wait does not ask for its caller's hang-up", async () => {
  const { options, end } = inFlight((index) => `msg_${index}`);
  await end();
  let asked = 0;
  const answered = await scheduleDecided(options, many(3), () => {
    asked++;
    return new AbortController().signal;
  });
  expect(new Set(answered.map(({ kind }) => kind))).toEqual(new Set(["too-late"]));
  expect(asked).toBe(0);
});

test("a call that does not know what to wait for asks less and less often", async () => {
  const { options, pauses } = inFlight(() => null);
  await scheduleDecided(options, [keyed()]);
  expect(pauses.slice(0, 6)).toEqual([20, 40, 80, 160, 250, 250]);
});

test("the time in which the store answers counts as waiting", async () => {
  const { options, asked, waiting, takingMs } = inFlight(() => "msg_1");
  takingMs(cancelWaitMs);
  expect(await scheduleDecided(options, [keyed()])).toMatchObject([{ kind: "held" }]);
  expect([asked, waiting]).toEqual([[1], []]);
});

test.each([
  { modes: ["replace", "keep", "reject"], turns: [[0], [0], [1, 2]] },
  {
    modes: ["keep", "replace", "replace", "keep", "replace"],
    turns: [
      [0, 1, 2],
      [1, 2],
      [3, 4],
    ],
  },
] as const)("no message goes before one that is held: $modes", async ({ modes, turns }) => {
  const requests = modes.map((onConflict, index): ScheduleRequest => ({
    ...keyed(),
    payload: `${index}`,
    wantedKey: { key: "k", onConflict, maxWaitMs: null },
  }));
  const asked: number[][] = [];
  let isInFlight = true;
  const { options } = inFlight(() => "msg_1");
  const answers = await scheduleDecided(
    {
      ...options,
      store: {
        async scheduleMessages(turn) {
          asked.push(turn.map(({ payload }) => Number(payload)));
          return turn.map(({ wantedKey }) => {
            const isHeld = isInFlight && wantedKey!.onConflict === "replace";
            return isHeld ? { kind: "held", messageId: "msg_1" } : { kind: "too-late" };
          });
        },
        async rescheduleMessage() {
          isInFlight = false;
          return { kind: "not-found" };
        },
      },
    },
    requests,
  );
  expect(asked).toEqual(turns);
  expect(answers).toEqual(modes.map(() => ({ kind: "too-late" })));
});

test("messages behind one that stays held are asked for once it has its answer", async () => {
  const { options, asked, takingMs } = inFlight(() => "msg_1");
  takingMs(cancelWaitMs);
  const keeping = { ...keyed(), wantedKey: { ...keyed().wantedKey!, onConflict: "keep" as const } };
  const answers = await scheduleDecided(options, [keyed(), keeping]);
  expect(answers).toEqual([
    { kind: "held", messageId: "msg_1" },
    { kind: "held", messageId: "msg_1" },
  ]);
  expect(asked).toEqual([1, 1]);
});
