import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { StoreUnavailable } from "../../store.ts";
import type { ScheduleRequest } from "../../store.ts";
import { CallQueue } from "./call-queue.ts";
import type { Call } from "./executor.ts";
import type { VerbName } from "./verbs.ts";

/** A batch whose commit took no time to speak of. */
const quick = { answered: 1, commitMs: 0.1 };

/** A queue that notes its batches. A batch ends when the test says so. */
function openQueue() {
  const batches: (readonly Call[])[] = [];
  let now = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const queue = new CallQueue({
    send: (calls) => batches.push(calls),
    onBatch: () => {},
    clock: { monotonic: () => now },
    timers: {
      after(delayMs, callback) {
        const timer = { at: now + delayMs, callback };
        timers.push(timer);
        return { cancel: () => (timers = timers.filter((other) => other !== timer)) };
      },
    },
  });
  const call = (...[verb, args]: Parameters<CallQueue["call"]>): void => {
    queue.call(verb, args).catch(() => {});
  };
  return {
    queue,
    call,
    batches,
    pass(ms: number): void {
      now += ms;
      const over = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { callback } of over) callback();
    },
    schedule: (accountId: string, count: number, payload = "") =>
      call("scheduleMessages", [requests(accountId, count, payload)]),
    /** Ends every batch until no call is left. */
    async drain() {
      await nextTurn();
      for (let ended = 0; ended < batches.length; ended++) queue.batchDone(quick);
    },
  };
}

function requests(accountId: string, count: number, payload: string): ScheduleRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    accountId,
    targetId: String(index),
    deliveryTime: 0,
    payload,
    options: null,
    idempotency: null,
  }));
}

const requestsIn = ({ args }: Call) => args[0] as readonly ScheduleRequest[];
const ownerOf = (call: Call) => requestsIn(call)[0]!.accountId;
const charactersIn = (batch: readonly Call[]) =>
  batch.flatMap(requestsIn).reduce((characters, { payload }) => characters + payload.length, 0);
const sixtyThousand = "y".repeat(60_000);

test("calls that fit a batch leave in the order in which they came", async () => {
  const { call, schedule, batches, drain } = openQueue();
  schedule("a", 1_000);
  schedule("b", 1);
  call("claimDue", [{}, []]);
  schedule("a", 10);
  await drain();
  expect(batches.map((batch) => batch.map(({ id }) => id))).toEqual([[1, 2, 3, 4]]);
});

test("a commit carries no more than two megabytes of payloads, however few calls bring them", async () => {
  const { schedule, batches, drain } = openQueue();
  for (let count = 0; count < 6; count++) schedule("a", 250, sixtyThousand);
  await drain();
  const characters = batches.map(charactersIn);
  expect(Math.max(...characters)).toBeLessThan(2_000_000);
  expect(characters.reduce((sum, each) => sum + each)).toBe(6 * 250 * 60_000);
});

test("the engine's calls go before all others", async () => {
  const { call, schedule, batches, drain } = openQueue();
  schedule("a", 1);
  await nextTurn();
  for (let count = 0; count < 6; count++) schedule("a", 250, sixtyThousand);
  call("recordAttempts", [{}, [{}]]);
  call("claimDue", [{}, []]);
  await drain();
  expect(batches[1]!.slice(0, 2).map(({ verb }) => verb)).toEqual(["recordAttempts", "claimDue"]);
});

test("an account's call waits for one turn of each other account, not for all their calls", async () => {
  const { schedule, batches, drain } = openQueue();
  for (let count = 0; count < 30; count++) schedule("a", 1_000);
  schedule("b", 1);
  schedule("c", 1);
  await drain();
  expect(batches[0]!.map(ownerOf)).toEqual(["a", "b", "c"]);
  expect(batches.slice(1).flat().map(ownerOf)).toEqual(Array(29).fill("a"));
});

test("accounts take turns by weight, not by number of calls", async () => {
  const { schedule, batches, drain } = openQueue();
  for (let count = 0; count < 10; count++) schedule("a", 1_000);
  for (let count = 0; count < 1_500; count++) schedule("b", 1);
  await drain();
  const ahead = batches.slice(0, 2).flat().map(ownerOf);
  expect(ahead.filter((owner) => owner === "b").length).toBeGreaterThan(800);
});

test("an account's calls stay in their order, whatever runs between them", async () => {
  const { schedule, batches, drain } = openQueue();
  for (let count = 0; count < 40; count++) schedule(["a", "b", "c"][count % 3]!, 700);
  await drain();
  for (const account of ["a", "b", "c"]) {
    const ids = batches
      .flat()
      .filter((call) => ownerOf(call) === account)
      .map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  }
});

test.each<[verb: VerbName, args: readonly unknown[], mostInABatch: number]>([
  ["changeSchedule", [{ accountId: "a", scheduleId: "s" }, { kind: "resume" }, {}], 4],
  ["listScheduledMessages", [{ accountId: "a", targetId: "t", limit: 100 }], 20],
  ["findMessages", [{ accountId: "a", limit: 20 }], 2],
  ["listTargets", ["a", { after: null, limit: 100 }], 10],
  ["listKeys", ["a"], 2],
  ["listClients", ["a"], 2],
  ["listAttempts", [{ accountId: "a", messageId: "m" }], 2],
  ["createEndpoint", [{ accountId: "a" }, {}], 20],
  ["updateEndpoint", [{ accountId: "a", endpointId: "e" }, {}, null, {}], 20],
  ["removeEndpoint", [{ accountId: "a", endpointId: "e" }, {}], 20],
  ["findPosition", ["a", 0], 2],
])("%s weighs as much as it may hold", async (verb, args, mostInABatch) => {
  const { call, batches, drain } = openQueue();
  for (let count = 0; count < 200; count++) call(verb, args);
  await drain();
  expect(Math.max(...batches.map(({ length }) => length))).toBe(mostInABatch);
});

test("a message of one account goes with the first one of another account's long lists", async () => {
  const { call, schedule, batches, drain } = openQueue();
  for (let count = 0; count < 200; count++) call("listKeys", ["a"]);
  schedule("b", 1);
  await drain();
  expect(batches[0]!.map(({ verb }) => verb)).toEqual(["listKeys", "scheduleMessages"]);
});

test("while twenty thousand calls wait, the next is refused at once", async () => {
  const { queue, call } = openQueue();
  for (let count = 0; count < 19_999; count++) call("getUsage", ["a"]);
  const lastToWait = queue.call("getUsage", ["a"]);
  await expect(queue.call("getUsage", ["b"])).rejects.toThrow(StoreUnavailable);
  queue.close(new Error("the end"));
  await expect(lastToWait).rejects.toThrow("the end");
});

test("while the engine fills batches, one caller's call goes with each", async () => {
  const { call, schedule, batches, drain } = openQueue();
  for (let count = 0; count < 3; count++) schedule("a", 1);
  for (let count = 0; count < 6; count++)
    call("recordAttempts", [{}, Array.from({ length: 2_000 }, () => ({}))]);
  await drain();
  const verbs = batches.map((batch) => batch.map(({ verb }) => verb));
  expect(verbs[0]).toEqual(["recordAttempts", "scheduleMessages"]);
});

test("calls wait until a batch takes them", async () => {
  const { queue, call, batches } = openQueue();
  call("ping", []);
  call("ping", []);
  expect(queue.waiting).toBe(2);
  await nextTurn();
  expect([queue.waiting, batches.length]).toEqual([0, 1]);
  call("ping", []);
  expect(queue.waiting).toBe(1);
  queue.batchDone(quick);
  expect([queue.waiting, batches.length]).toEqual([0, 2]);
});

/**
 * Ends a batch of a slow disk again and again, until the queue has learnt what the callers do: each of them asks
 * again after `thinkMs`.
 */
async function teach(
  { queue, call, pass, batches }: ReturnType<typeof openQueue>,
  thinkMs: number,
) {
  for (let count = 0; count < 4; count++) call("scheduleMessages", [[]]);
  await nextTurn();
  for (let round = 0; round < 20; round++) {
    const { length } = batches.at(-1)!;
    queue.batchDone({ answered: length, commitMs: 6 });
    pass(thinkMs);
    for (let count = 0; count < length; count++) call("scheduleMessages", [[]]);
    await nextTurn();
    pass(10);
  }
}

test("on a slow disk, the next batch waits for the callers who were just answered", async () => {
  const opened = openQueue();
  const { queue, call, pass, batches } = opened;
  await teach(opened, 1);
  const before = batches.length;
  queue.batchDone({ answered: 4, commitMs: 6 });
  for (let count = 0; count < 3; count++) {
    call("scheduleMessages", [[]]);
    await nextTurn();
    pass(0.5);
  }
  expect(batches.length).toBe(before);
  call("scheduleMessages", [[]]);
  await nextTurn();
  expect(batches.slice(before).map(({ length }) => length)).toEqual([4]);
});

test("a caller who does not come back holds the others for half a commit at most", async () => {
  const opened = openQueue();
  const { queue, call, pass, batches } = opened;
  await teach(opened, 1);
  const before = batches.length;
  queue.batchDone({ answered: 4, commitMs: 6 });
  for (let count = 0; count < 3; count++) call("scheduleMessages", [[]]);
  pass(2.9);
  await nextTurn();
  expect(batches.length).toBe(before);
  pass(0.1);
  expect(batches.slice(before).map(({ length }) => length)).toEqual([3]);
});

test("no call of the engine waits for callers to come back", async () => {
  const opened = openQueue();
  const { queue, call, batches } = opened;
  await teach(opened, 1);
  const before = batches.length;
  queue.batchDone({ answered: 4, commitMs: 6 });
  call("scheduleMessages", [[]]);
  call("claimDue", [{}, []]);
  await nextTurn();
  expect(batches.slice(before).map(({ length }) => length)).toEqual([2]);
});

test.each([
  ["callers that take their time", 5, { answered: 4, commitMs: 6 }],
  ["callers that come back to a quick disk", 1, { answered: 4, commitMs: 1.9 }],
])("nobody waits for %s", async (_, thinkMs, ended) => {
  const opened = openQueue();
  const { queue, call, batches } = opened;
  await teach(opened, thinkMs);
  const before = batches.length;
  call("scheduleMessages", [[]]);
  queue.batchDone(ended);
  expect(batches.slice(before).map(({ length }) => length)).toEqual([1]);
});

test("much work does not wait for callers to come back", async () => {
  const opened = openQueue();
  const { queue, schedule, batches } = opened;
  await teach(opened, 1);
  const before = batches.length;
  queue.batchDone({ answered: 4, commitMs: 6 });
  schedule("a", 500);
  await nextTurn();
  expect(batches.length).toBe(before + 1);
});
