import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterStep,
  changedJob,
  decideByJob,
  endedJob,
  idleAfterStep,
  looksForOutcomes,
  planStep,
} from "./job-steps.ts";
import type { StepEffect, StepPlan } from "./job-steps.ts";
import { isLive, mostChangesAtOnce, patienceMs, startedJob } from "./job.ts";
import type { Job, JobProgress } from "./job.ts";
import { someJob } from "./testing/some-job.ts";
import type { AskedJob } from "./testing/some-job.ts";
import type { TrackedMessage } from "./message.ts";
import { latestTime } from "./times.ts";
import { attempted, rescheduled, scheduled } from "./transitions.ts";

const now = 10_000;

function job(asked: AskedJob = {}, progress: Partial<JobProgress> = {}, change: Partial<Job> = {}) {
  const started = startedJob(someJob(asked), now);
  return { ...started, ...change, progress: { ...started.progress, ...progress } };
}

const nothing: StepEffect = {
  ...{ met: 0, done: 0, changed: 0, inFlight: 0, waiting: 0, watched: 0 },
  lookedForOutcomes: false,
  delivered: [],
};
const place = { time: 1, messageId: "msg_1" };
const walk: StepPlan = { kind: "walk", limit: 200 };
const step = (before: Job, effect: Partial<StepEffect>, plan: StepPlan = walk, at = now) =>
  afterStep(before, plan, { ...nothing, ...effect }, at);

describe("a plan", () => {
  test("walks, up to a commit's worth and up to what is left", () => {
    expect(planStep(job(), now)).toEqual({ kind: "walk", limit: mostChangesAtOnce });
    const nearlyFull = job({ maxMessages: 7 }, {}, { matched: 4 });
    expect(planStep(nearlyFull, now)).toEqual({ kind: "walk", limit: 3 });
    expect(planStep(job({ ratePerSecond: 50 }), now)).toEqual({ kind: "walk", limit: 10 });
    expect(planStep(job({ ratePerSecond: 1 }), now)).toEqual({ kind: "walk", limit: 1 });
  });

  test("waits until a step is worth its commit", () => {
    const spent = step(job({ ratePerSecond: 50 }), { met: 10, done: 10, cursor: place });
    expect(planStep(spent, now)).toEqual({ kind: "wait", waitMs: 100 });
    expect(planStep(spent, now + 100)).toEqual({ kind: "walk", limit: 5 });
    expect(planStep({ ...spent, maxMessages: 11 }, now)).toEqual({ kind: "wait", waitMs: 20 });
    expect(idleAfterStep(spent, now)).toBe(100);
  });

  test("goes back to what was in flight, for as long as there is patience", () => {
    const walked = job({}, { walkEndTime: now, waiting: 3 });
    expect(planStep(walked, now)).toEqual({ kind: "second-turn", limit: 3, isLast: false });
    const last = { kind: "second-turn", limit: 3, isLast: true };
    expect(planStep(walked, now + patienceMs)).toEqual(last);
    // The clock was set back.
    expect(planStep(walked, now - 1)).toEqual(last);
    expect(idleAfterStep(walked, now)).toBe(200);
  });

  test("watches what is left to watch", () => {
    const walked = job({}, { walkEndTime: now, watched: 3 });
    expect(planStep(walked, now)).toEqual({ kind: "watch", isLast: false });
    expect(planStep(walked, now + patienceMs)).toEqual({ kind: "watch", isLast: true });
    expect(looksForOutcomes(walked, now)).toBe(false);
    expect(looksForOutcomes(walked, now + 200)).toBe(true);
    expect(looksForOutcomes(walked, now - 1)).toBe(true);
    expect(looksForOutcomes(job(), now + 200)).toBe(false);
  });

  test("keeps the rate over any time, however the steps fall", () => {
    const rates = fc.integer({ min: 1, max: 10_000 });
    const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(rates, gaps, (ratePerSecond, waits) => {
        let current: Job = job({ ratePerSecond });
        let time = now;
        for (const wait of waits) {
          const plan = planStep(current, time);
          const limit = plan.kind === "walk" ? plan.limit : 0;
          current = step(current, { met: limit, done: limit, cursor: place }, plan, time);
          time += wait;
        }
        const burst = Math.min(Math.ceil(ratePerSecond / 5), mostChangesAtOnce);
        expect(current.done).toBeLessThanOrEqual(
          burst + (ratePerSecond * (time - now)) / 1_000 + 1,
        );
      }),
    );
  });

  test("wastes no time: whoever waits as told reaches the rate", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (ratePerSecond) => {
        let current: Job = job({ ratePerSecond });
        let time = now;
        while (time < now + 5_000) {
          const plan = planStep(current, time);
          const limit = plan.kind === "walk" ? plan.limit : 0;
          current = step(current, { met: limit, done: limit, cursor: place }, plan, time);
          time += idleAfterStep(current, time)!;
        }
        expect(current.done).toBeGreaterThanOrEqual(ratePerSecond * 4.9 - mostChangesAtOnce);
      }),
      { numRuns: 30 },
    );
  });
});

describe("after a step", () => {
  test("its counts are added, and the walk is where it was left", () => {
    const before = job({}, { waiting: 1 }, { matched: 5, done: 4 });
    const after = step(before, { met: 6, done: 3, changed: 2, waiting: 1, cursor: place });
    expect(after).toMatchObject({ state: "RUNNING", matched: 11, done: 7 });
    expect(after.skipped).toEqual({ changed: 2, inFlight: 0 });
    expect(after.progress).toMatchObject({ cursor: place, waiting: 2, walkEndTime: null });
    const second = step(after, { waiting: -1, inFlight: 1 });
    expect(second.progress).toMatchObject({ cursor: place, waiting: 1 });
  });

  test("a job is done at the end of its walk if nothing is left to wait for", () => {
    const again = { walksAgain: true };
    expect(step(job({}, again), { met: 1, done: 1, cursor: null })).toMatchObject({
      ...{ state: "DONE", endTime: now, stopReason: null },
    });
    for (const left of [{ waiting: 1 }, { watched: 1 }]) {
      const after = step(job({}, again), { met: 1, cursor: null, ...left });
      expect(after).toMatchObject({ state: "RUNNING", endTime: null });
      expect(after.progress.walkEndTime).toBe(now);
    }
  });

  test("a walk over a target's scheduled messages is followed by one from the earliest", () => {
    expect(step(job({ action: "redrive" }), { cursor: null }).state).toBe("DONE");
    const forward = job({ action: "shift", byMs: 1 }, { cursor: place });
    const again = step(forward, { cursor: null });
    expect(again).toMatchObject({ state: "RUNNING" });
    expect(again.progress).toMatchObject({ cursor: null, walksAgain: true, walkEndTime: null });
    const on = step(again, { met: 1, done: 1, cursor: place });
    expect(on.progress).toMatchObject({ cursor: place, walksAgain: true });
    expect(step(on, { cursor: null }).state).toBe("DONE");
    const full = step(job({ action: "shift", byMs: 1, maxMessages: 1 }), {
      ...{ met: 1, done: 1, cursor: null },
    });
    expect(full.state).toBe("DONE");
  });

  test("messages that vanished before their second turn are skipped", () => {
    const waiting = job({}, { walkEndTime: now, waiting: 3 }, { matched: 3 });
    const plan: StepPlan = { kind: "second-turn", limit: 5, isLast: true };
    expect(step(waiting, {}, { ...plan, isLast: false }).progress.waiting).toBe(3);
    // A step may end before it has taken as many as it may.
    const some = step(waiting, { done: 1, waiting: -1 }, plan);
    expect(some).toMatchObject({ state: "RUNNING", progress: { waiting: 2 } });
    const ended = step(some, {}, plan);
    expect(ended).toMatchObject({ state: "DONE", done: 1, skipped: { changed: 2, inFlight: 0 } });
  });

  test("a job that has met as many as it may is done, and says why", () => {
    const limited = job({ maxMessages: 2 });
    const full = { stopReason: "MAX_MESSAGES", state: "DONE" };
    expect(step(limited, { met: 2, done: 2, cursor: place })).toMatchObject(full);
    const waiting = step(limited, { met: 2, done: 1, waiting: 1, cursor: null });
    expect(waiting).toMatchObject({ state: "RUNNING", stopReason: null });
    const plan: StepPlan = { kind: "second-turn", limit: 1, isLast: false };
    expect(step(waiting, { done: 1, waiting: -1 }, plan)).toMatchObject(full);
  });

  test("what has no outcome at the last look stays without", () => {
    const walked = job({ action: "redrive" }, { walkEndTime: now, watched: 2 });
    const look = (isLast: boolean) => step(walked, { watched: -1 }, { kind: "watch", isLast });
    expect(look(false)).toMatchObject({ state: "RUNNING", progress: { watched: 1 } });
    expect(look(true)).toMatchObject({ state: "DONE", progress: { watched: 0 } });
  });

  describe("with failures", () => {
    const redrive = { action: "redrive", stopAfterFailures: 3 } as const;
    const outcomes = (delivered: readonly boolean[], inARow = 0, asked: AskedJob = redrive) =>
      step(job(asked, { failuresInARow: inARow }), { delivered, cursor: place });

    test("so many in a row pause it, also over several steps or before a delivery", () => {
      const paused = { state: "PAUSED", stopReason: "FAILURES" };
      expect(outcomes([false, false, false])).toMatchObject({ ...paused, failedAgain: 3 });
      expect(outcomes([false], 2)).toMatchObject(paused);
      expect(outcomes([false, false, false, true])).toMatchObject(paused);
    });

    test("a delivery in between begins the count again", () => {
      const after = outcomes([false, false, true, false, false]);
      expect(after).toMatchObject({ state: "RUNNING", failedAgain: 4 });
      expect(after.progress.failuresInARow).toBe(2);
      expect(outcomes([true, false], 2).state).toBe("RUNNING");
    });

    test("nothing is paused without a limit", () => {
      const failures = [false, false, false, false];
      expect(outcomes(failures, 0, { action: "redrive" }).state).toBe("RUNNING");
    });

    test("it is paused also after the walk, and is done once it was resumed", () => {
      const walked = job(redrive, { walkEndTime: now, watched: 4 });
      const after = step(walked, { delivered: [false, false, false, false], watched: -4 });
      expect(after).toMatchObject({ state: "PAUSED", stopReason: "FAILURES", endTime: null });
      const resumed = changedJob(after, { kind: "resume" }, now)!;
      expect(step(resumed, {}, { kind: "watch", isLast: false }).state).toBe("DONE");
    });

    test("what was redriven before the pause may fail after it without counting", () => {
      const paused = job(redrive, { watched: 2 }, { state: "PAUSED" });
      const resumed = changedJob(paused, { kind: "resume" }, now)!;
      const after = step(resumed, { delivered: [false, false, false, false], cursor: place });
      expect(after).toMatchObject({ state: "RUNNING", failedAgain: 4 });
      expect(step(after, { delivered: [false], cursor: place }).state).toBe("PAUSED");
    });
  });

  test("all that an ended job has met is done or skipped", () => {
    const effects = fc.array(
      fc.array(fc.constantFrom("done", "changed", "waiting"), { maxLength: 9 }),
    );
    fc.assert(
      fc.property(effects, fc.boolean(), fc.boolean(), (steps, isStopped, isLast) => {
        let current: Job = job();
        const count = (kinds: readonly string[], kind: string) =>
          kinds.filter((each) => each === kind).length;
        for (const kinds of steps) {
          current = step(current, {
            ...{ met: kinds.length, done: count(kinds, "done"), cursor: place },
            ...{ changed: count(kinds, "changed"), waiting: count(kinds, "waiting") },
          });
        }
        if (!isStopped) {
          current = step(current, { cursor: null });
          const { waiting } = current.progress;
          const plan: StepPlan = { kind: "second-turn", limit: 200, isLast };
          if (waiting > 0) current = step(current, { waiting: -waiting, inFlight: waiting }, plan);
        }
        const ended = isLive(current.state) ? changedJob(current, { kind: "stop" }, now)! : current;
        const { matched, done, skipped } = ended;
        expect(done + skipped.changed + skipped.inFlight).toBe(matched);
        expect(ended.progress).toMatchObject({ waiting: 0, watched: 0 });
      }),
    );
  });
});

describe("what a job makes of a message", () => {
  const message = (options = {}, deliveryTime = 50_000) =>
    scheduled({ messageId: "msg_1", targetId: "t", deliveryTime, options }, 1_000);
  const decide = (asked: AskedJob, each = message()) =>
    decideByJob({ ...someJob(asked), creationTime: 5_000 }, each, now, 60_000);

  test("leaves alone what a caller has moved since, and not what a retry has", () => {
    const moved = rescheduled(message(), 60_000, 6_000) as TrackedMessage;
    expect(decide({ action: "cancel" }, moved).kind).toBe("refused");
    const before = rescheduled(message(), 60_000, 4_000) as TrackedMessage;
    expect(decide({ action: "cancel" }, before).kind).toBe("changed");
    const failed = { startTime: 5_500, next: { kind: "retry", delayMs: 1 } } as const;
    const retried = attempted(message(), failed, 6_000, 60_000)!;
    expect(decide({ action: "cancel" }, retried).kind).toBe("changed");
  });

  const ended = attempted(
    message(),
    { startTime: 2_000, next: { kind: "dead-letter", reason: "REJECTED" } },
    3_000,
    60_000,
  )!;

  test("cancels, reschedules, shifts or redrives it", () => {
    expect(decide({})).toMatchObject({ kind: "changed", message: { state: "CANCELLED" } });
    const reschedule = { action: "reschedule", deliveryTime: 70_000 } as const;
    expect(decide(reschedule)).toMatchObject({ message: { nextDeliveryTime: 70_000 } });
    for (const byMs of [5, -5, -49_000]) {
      const moved = decide({ action: "shift", byMs });
      expect(moved).toMatchObject({
        kind: "changed",
        message: { nextDeliveryTime: 50_000 + byMs },
      });
    }
    const redriven = decide({ action: "redrive" }, ended);
    expect(redriven).toMatchObject({ message: { state: "SCHEDULED", nextDeliveryTime: now } });
  });

  test("brings nothing back that has ended, but by a redrive", () => {
    for (const asked of [
      {},
      { action: "reschedule", deliveryTime: 70_000 } as const,
      { action: "shift", byMs: 1 } as const,
    ]) {
      expect(decide(asked, ended)).toEqual({ kind: "refused", message: ended });
    }
  });

  test("keeps its bound: a given time stays, and a time after the delivery time moves along", () => {
    const fixed = message({ notAfter: 50_010 });
    expect(decide({ action: "shift", byMs: 10 }, fixed)).toMatchObject({ kind: "too-late" });
    expect(decide({ action: "shift", byMs: 9 }, fixed)).toMatchObject({
      ...{ kind: "changed", message: { options: { notAfter: 50_010 } } },
    });
    const relative = message({ notAfterMs: 10 });
    expect(decide({ action: "shift", byMs: 1_000 }, relative)).toMatchObject({
      message: { nextDeliveryTime: 51_000, options: { notAfter: 51_010, notAfterMs: 10 } },
    });
    // The bound would be over already.
    expect(decide({ action: "shift", byMs: -45_000 }, relative)).toMatchObject({
      kind: "too-late",
    });
  });

  test("moves nothing to a time that cannot be written", () => {
    const late = message({}, latestTime);
    expect(decide({ action: "shift", byMs: 1 }, late)).toEqual({ kind: "refused", message: late });
    const far = { action: "shift", byMs: -latestTime } as const;
    expect(decide({ ...far, byMs: -63_000_000_000_000 })).toMatchObject({ kind: "refused" });
    expect(decide(far, late)).toMatchObject({ kind: "changed" });
  });
});

describe("a caller's change", () => {
  test("pauses, resumes, and sets the rate of a job that lives", () => {
    const running = job({}, { failuresInARow: 5 });
    const paused = changedJob(running, { kind: "pause" }, now)!;
    expect(paused).toMatchObject({ state: "PAUSED", stopReason: "REQUESTED", endTime: null });
    expect(changedJob(paused, { kind: "pause" }, now)).toBe(paused);
    const resumed = changedJob(paused, { kind: "resume" }, now)!;
    expect(resumed).toMatchObject({ state: "RUNNING", stopReason: null });
    expect(resumed.progress.failuresInARow).toBe(0);
    expect(changedJob(resumed, { kind: "resume" }, now)).toBe(resumed);
    const change = { kind: "set-rate", ratePerSecond: 7 } as const;
    expect(changedJob(paused, change, now)).toEqual({ ...paused, ratePerSecond: 7 });
    expect(idleAfterStep(paused, now)).toBeNull();
  });

  test("stops it: what waits for its second turn is skipped", () => {
    const stopped = changedJob(job({}, { waiting: 2 }, { matched: 2 }), { kind: "stop" }, now);
    expect(stopped).toMatchObject({
      ...{ state: "STOPPED", stopReason: "REQUESTED", endTime: now },
      skipped: { changed: 0, inFlight: 2 },
    });
    expect(idleAfterStep(stopped!, now)).toBeNull();
  });

  test("does nothing to a job that has ended", () => {
    const ended = endedJob(job(), "FAILED", "TARGET_REMOVED", now);
    for (const kind of ["stop", "pause", "resume"] as const) {
      expect(changedJob(ended, { kind }, now)).toBeUndefined();
    }
    const change = { kind: "set-rate", ratePerSecond: 7 } as const;
    expect(changedJob(ended, change, now)).toBeUndefined();
  });
});
