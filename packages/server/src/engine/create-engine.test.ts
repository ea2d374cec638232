import { expect, test } from "vitest";
import { startInOrder, stopInReverse } from "../platform/running-parts.ts";
import { systemRandom } from "../platform/random.ts";
import type { NodeRole, Upcoming } from "../storage/store.ts";
import { createEngine } from "./create-engine.ts";
import type { EngineOptions } from "./create-engine.ts";

const nothing: Upcoming = { targets: [], reached: null };
const now = 1_000_000;

/** An engine on a store that records its calls, and timers that the test fires. */
function play(options: { readonly role?: NodeRole; readonly look?: () => Promise<Upcoming> } = {}) {
  const calls: string[] = [];
  let look = options.look ?? (async () => nothing);
  let waiting: { readonly delayMs: number; readonly callback: () => void }[] = [];
  const called = <Value>(name: string, value: Value): Value => {
    calls.push(name);
    return value;
  };
  const store: EngineOptions["store"] = {
    clock: { now: () => now },
    sharing: { leaseMs: 10_000, credentialMs: 100 },
    join: async (nodeId) => called("join", { nodeId, epoch: 1 }),
    renew: async () => called("renew", true),
    leave: async () => called("leave", undefined),
    listNodes: async () => called("listNodes", []),
    endLapsedMemberships: async () =>
      called("endLapsedMemberships", {
        ...{ count: 0, targetKeys: [], areSomeGone: false, nextEndMs: null },
      }),
    upcoming: () => called("upcoming", look()),
    upcomingByTarget: async () => called("upcomingByTarget", { targets: [], reached: null }),
    claimDue: async () => called("claimDue", { now, claims: [], targets: [] }),
    recordAttempts: async () => called("recordAttempts", []),
    releaseClaims: async () => called("releaseClaims", undefined),
    endOutrun: async () => called("endOutrun", { ended: 0, nextBound: null }),
    removeExpired: async () => called("removeExpired", { removed: 0, nextExpiry: null }),
    takeJobs: async () => called("takeJobs", []),
    getJob: async () => called("getJob", undefined),
    advanceJob: async () => called("advanceJob", { kind: "not-held" as const }),
    advanceSchedules: async () =>
      called("advanceSchedules", {
        advanced: 0,
        runs: { CREATED: 0, SKIPPED: 0, MISSED: 0 },
        planned: [],
        nextBound: null,
        nextLookTime: null,
        now,
      }),
    judgeRuns: async () => called("judgeRuns", { looked: 0, paused: [] }),
    getTargetByKey: async () => called("getTargetByKey", undefined),
    logSpans: async () => called("logSpans", new Map()),
    listEndpoints: async () => called("listEndpoints", []),
    readEvents: async () => called("readEvents", undefined),
    moveEvents: async () => called("moveEvents", { moved: 0, waitedMs: null }),
    removeOldEvents: async () => called("removeOldEvents", { removed: 0, nextExpiry: null }),
    takeWebhooks: async () => called("takeWebhooks", []),
    recordBatch: async () => called("recordBatch", "stale" as const),
  };
  const engine = createEngine({
    store,
    kinds: {} as EngineOptions["kinds"],
    openTarget: () => {
      throw new Error("this store has no targets");
    },
    openHeaders: () => ({}),
    tracer: null,
    events: {} as EngineOptions["events"],
    clock: { now: () => now, monotonic: () => now },
    timers: {
      after(delayMs, callback) {
        const timer = { delayMs, callback };
        waiting.push(timer);
        return { cancel: () => (waiting = waiting.filter((other) => other !== timer)) };
      },
    },
    random: systemRandom,
    observer: {
      leaseGranted() {},
      lookedAhead() {},
      claimed() {},
      attemptStarted() {},
      attemptEnded() {},
      inFlight() {},
      runningJobs() {},
      jobTaken() {},
      jobAdvanced() {},
      schedulesAdvanced() {},
      nextScheduleKnown() {},
      schedulesPaused() {},
      eventsMoved() {},
      eventsWaited() {},
      webhooksStand() {},
      eventsRemoved() {},
      trouble(error) {
        throw error;
      },
    },
    nodeId: "n",
    role: options.role ?? "all",
    maxInFlight: 100,
    drainTimeoutMs: 1_000,
  });
  return {
    ...engine,
    calls,
    lookWith: (next: () => Promise<Upcoming>) => void (look = next),
    /** Fires the timers of the first second: the next look, and the first sweep. */
    async timersGoOff() {
      const { short = [], long = [] } = Object.groupBy(waiting, ({ delayMs }) =>
        delayMs < 1_000 ? "short" : "long",
      );
      waiting = long;
      for (const { callback } of short) callback();
      await new Promise(setImmediate);
    },
  };
}

test("a node joins before it looks ahead, and leaves after everything else has stopped", async () => {
  const { parts, calls, timersGoOff } = play();
  await startInOrder(parts);
  expect(calls).toEqual(["join", "endLapsedMemberships", "listNodes", "upcoming"]);
  await timersGoOff();
  expect(calls).toEqual(expect.arrayContaining(["removeExpired", "takeJobs", "advanceSchedules"]));
  await stopInReverse(parts);
  expect(calls.at(-1)).toBe("leave");
});

test("a stopping node claims nothing more, even while a look is still running", async () => {
  const { parts, calls, delivery, lookWith, timersGoOff } = play();
  await startInOrder(parts);
  const looked = Promise.withResolvers<Upcoming>();
  lookWith(() => looked.promise);
  await timersGoOff();
  calls.length = 0;
  const stopped = stopInReverse(parts);
  delivery.noteDue("acc", 1, now);
  const found = { accountId: "acc", targetKey: 2, revision: 1, dueAt: now };
  looked.resolve({ targets: [found], reached: null });
  await stopped;
  expect(calls).toEqual(["leave"]);
});

test("a node whose first look fails leaves again", async () => {
  const { parts, calls } = play({ look: () => Promise.reject(new Error("no answer")) });
  await expect(startInOrder(parts)).rejects.toThrow("no answer");
  expect(calls.filter((call) => call !== "listNodes")).toEqual([
    ...["join", "endLapsedMemberships", "upcoming", "leave"],
  ]);
});

test("a node that only accepts messages joins, sees who is alive and leaves, and does nothing else", async () => {
  const { parts, calls, delivery } = play({ role: "api" });
  await startInOrder(parts);
  delivery.noteDue("acc", 1, now);
  delivery.targetChanged("acc", 1);
  delivery.noteJob();
  delivery.noteSchedule();
  await stopInReverse(parts);
  expect(calls).toEqual(["join", "endLapsedMemberships", "listNodes", "leave"]);
});
