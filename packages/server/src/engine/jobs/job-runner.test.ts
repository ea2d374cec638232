import { expect, test } from "vitest";
import { startedJob } from "../../domain/job.ts";
import type { Job } from "../../domain/job.ts";
import { someJob } from "../../domain/testing/some-job.ts";
import { systemRandom } from "../../platform/random.ts";
import { StoreUnavailable } from "../../storage/store.ts";
import type { Holder, JobStep, JobStepRequest } from "../../storage/store.ts";
import { playedTime } from "../testing/played-time.ts";
import { JobRunner } from "./job-runner.ts";

const shared = { leaseMs: 10_000, credentialMs: 100 };
type Advanced = Extract<JobStep, { kind: "advanced" }>;

/** How the store answers a step of a job. */
interface Plan {
  readonly accountId?: string;
  /** How many steps it has; each makes one change. */
  readonly steps?: number;
  readonly idleMs?: number;
  /** How long a step takes. */
  readonly stepMs?: number;
  readonly answer?: Partial<Advanced>;
  /** During how many steps at first its account is changed. */
  readonly busySteps?: number;
}

/** A runner on a store with these jobs, in a time that the test lets pass. */
function play(plans: Record<string, Plan>, sharing: typeof shared | null = shared) {
  const time = playedTime();
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  const jobs = new Map(Object.entries(plans).map(([id, plan]) => [id, jobOf(id, plan)]));
  const holders = new Map<string, Holder>();
  const heard: string[] = [];
  const steps: string[] = [];
  const looks: number[] = [];
  const membership: { holder: Holder | undefined } = { holder: { nodeId: "n", epoch: 1 } };
  const trouble: { take?: Error | undefined; step?: Error | undefined } = {};
  let underWay = 0;
  let mostUnderWay = 0;

  const runner = new JobRunner({
    store: {
      sharing,
      async takeJobs(holder, limit) {
        looks.push(time.now());
        if (trouble.take) throw trouble.take;
        const running = [...jobs.values()].filter(({ state }) => state === "RUNNING");
        const free = running.filter(({ jobId }) => holders.get(jobId) !== membership.holder);
        for (const { jobId } of free.slice(0, limit)) holders.set(jobId, holder);
        return running.filter(({ jobId }) => holders.get(jobId) === holder);
      },
      getJob: async ({ jobId }) => jobs.get(jobId),
      async advanceJob({ jobId }: JobStepRequest): Promise<JobStep> {
        const plan = plans[jobId]!;
        steps.push(jobId);
        mostUnderWay = Math.max(mostUnderWay, ++underWay);
        await time.pause(plan.stepMs ?? 0);
        underWay--;
        if (trouble.step) throw trouble.step;
        if (countOf(steps, jobId) <= (plan.busySteps ?? 0)) return { kind: "busy" };
        const job = jobs.get(jobId);
        if (job?.state !== "RUNNING") return { kind: "not-held" };
        const done = job.done + 1;
        const isDone = done >= (plan.steps ?? Infinity);
        const next: Job = { ...job, done, state: isDone ? "DONE" : "RUNNING" };
        jobs.set(jobId, next);
        return {
          kind: "advanced",
          job: next,
          idleMs: isDone ? null : (plan.idleMs ?? 0),
          planned: [],
          nextBound: null,
          removedTargetKey: null,
          ...plan.answer,
        };
      },
    },
    membership,
    delivery: {
      noteDue: (...due) => void heard.push(`due ${due.join(" ")}`),
      noteBound: (notAfter) => void heard.push(`bound ${notAfter}`),
      targetChanged: (...changed) => void heard.push(`changed ${changed.join(" ")}`),
    },
    clock: { monotonic: () => time.now() },
    timers: time,
    random: systemRandom,
    observer: {
      runningJobs: (jobIds) => void heard.push(`running ${jobIds.length}`),
      jobTaken: ({ jobId, done }) => void heard.push(`taken ${jobId} ${done}`),
      jobAdvanced: (before, { jobId, done, state }) =>
        void heard.push(`${jobId} +${done - before.done} ${state}`),
      trouble: (error, doing) => void heard.push(`${(error as Error).message} while ${doing}`),
    },
  });
  return {
    runner,
    jobs,
    heard,
    steps,
    looks,
    membership,
    trouble,
    mostUnderWay: () => mostUnderWay,
    waiting: time.waiting,
    settle,
    pass: time.pass,
    /** Lets time pass for the steps that are under way. */
    async stop() {
      const stopped = runner.stop();
      await time.pass(1_000);
      await stopped;
    },
  };
}

function jobOf(jobId: string, { accountId = "acc" }: Plan): Job {
  return startedJob(someJob({ jobId, accountId }), 0);
}

const countOf = (all: readonly string[], one: string): number =>
  all.filter((each) => each === one).length;

test("a job is advanced from the first look to its end, and no further", async () => {
  const { runner, heard, steps, pass } = play({ a: { steps: 3, stepMs: 10 } });
  await runner.start();
  await pass(4_000);
  expect(heard).toEqual([
    "running 1",
    "taken a 0",
    "a +1 RUNNING",
    "a +1 RUNNING",
    "a +1 DONE",
    "running 0",
  ]);
  await pass(60_000);
  expect(steps).toHaveLength(3);
  await runner.stop();
});

test("a job whose account is being changed goes on after a while, and nothing is wrong", async () => {
  const { runner, heard, steps, pass } = play({ a: { steps: 1, busySteps: 3 } });
  await runner.start();
  await pass(200);
  expect(heard).toEqual(["running 1", "taken a 0"]);
  expect(steps).toHaveLength(3);
  await pass(200);
  expect(heard.slice(2)).toEqual(["a +1 DONE", "running 0"]);
  await runner.stop();
});

test("an idle node looks every four seconds, and soon after it is told", async () => {
  const { runner, looks, pass } = play({});
  await runner.start();
  await pass(9_000);
  expect(looks).toEqual([0, 4_000, 8_000]);
  runner.noteJob();
  runner.noteJob();
  await pass(4_999);
  expect(looks).toEqual([0, 4_000, 8_000, 9_000, 13_000]);
  await runner.stop();
});

test("a hint during a look is not lost", async () => {
  const { runner, looks, pass, settle } = play({});
  await runner.start();
  await pass(0);
  const looked = looks.length;
  runner.noteJob();
  await settle();
  await pass(1);
  expect(looks).toHaveLength(looked + 1);
  await runner.stop();
});

test("the store says how long a job has nothing to do", async () => {
  const { runner, steps, pass } = play({ a: { idleMs: 200, stepMs: 10 } });
  await runner.start();
  await pass(2_099);
  expect(steps).toHaveLength(10);
  await runner.stop();
});

test("the engine hears what a step has planned and removed", async () => {
  const planned = [
    { targetKey: 7, dueAt: 70 },
    { targetKey: 8, dueAt: 80 },
  ];
  const { runner, heard, pass } = play({
    a: { steps: 1, answer: { planned, nextBound: 90, removedTargetKey: 7 } },
  });
  await runner.start();
  await pass(10);
  expect(heard).toEqual(
    expect.arrayContaining(["due acc 7 70", "due acc 8 80", "bound 90", "changed acc 7"]),
  );
  await runner.stop();
});

test("jobs have at most half of the time of an embedded store, one step at a time", async () => {
  const plans = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`j${n}`, { stepMs: 20 }]));
  const { runner, steps, mostUnderWay, pass, stop } = play(plans, null);
  await runner.start();
  await pass(3_999);
  expect(mostUnderWay()).toBe(1);
  // A step of 20 ms and a rest of 20 ms.
  expect(steps).toHaveLength(100);
  for (const job of Object.keys(plans)) expect(countOf(steps, job)).toBe(10);
  await stop();
});

test("on a shared store few steps are under way at once, two of them of one account", async () => {
  const plans = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`j${n}`, { accountId: `acc${n % 3}`, stepMs: 20 }]),
  );
  const many = play(plans);
  await many.runner.start();
  await many.pass(1_000);
  expect(many.mostUnderWay()).toBe(4);
  await many.stop();

  const one = play({ a: { stepMs: 5 }, b: { stepMs: 5 }, c: { stepMs: 5 } });
  await one.runner.start();
  await one.pass(1_000);
  expect(one.mostUnderWay()).toBe(2);
  await one.stop();
});

test("an account with many jobs does not slow down another account's job", async () => {
  const crowd = Object.fromEntries(
    Array.from({ length: 99 }, (_, n) => [`j${n}`, { accountId: "crowd", stepMs: 20 }]),
  );
  const { runner, steps, pass, stop } = play(
    { ...crowd, alone: { accountId: "alone", stepMs: 20 } },
    null,
  );
  await runner.start();
  await pass(4_000);
  // There was time for a hundred steps. At most two of the others come between two of this one.
  expect(countOf(steps, "alone")).toBeGreaterThanOrEqual(33);
  await stop();
});

test("a job that is paused is left alone, and goes on when it is resumed", async () => {
  const { runner, jobs, steps, pass } = play({ a: { idleMs: 100 } });
  await runner.start();
  await pass(1_000);
  jobs.set("a", { ...jobs.get("a")!, state: "PAUSED" });
  await pass(1_000);
  const before = steps.length;
  await pass(60_000);
  expect(steps).toHaveLength(before);
  jobs.set("a", { ...jobs.get("a")!, state: "RUNNING" });
  runner.noteJob();
  await pass(1_000);
  expect(steps.length).toBeGreaterThan(before + 5);
  await runner.stop();
});

test("a job that is gone is left silently", async () => {
  const { runner, jobs, heard, pass } = play({ a: { idleMs: 100 } });
  await runner.start();
  await pass(150);
  jobs.delete("a");
  await pass(10_000);
  expect(heard.at(-1)).toBe("running 0");
  expect(heard.filter((each) => each.includes("while"))).toEqual([]);
  await runner.stop();
});

test("without a membership nothing is taken or advanced; with a new one the job goes on", async () => {
  const { runner, heard, steps, membership, pass } = play({ a: { idleMs: 100 } });
  await runner.start();
  await pass(1_000);
  membership.holder = undefined;
  await pass(1_000);
  const before = steps.length;
  await pass(20_000);
  expect(steps).toHaveLength(before);
  membership.holder = { nodeId: "n", epoch: 2 };
  runner.noteJob();
  await pass(1_000);
  expect(steps.length).toBeGreaterThan(before + 5);
  expect(heard.filter((each) => each.startsWith("taken"))).toHaveLength(2);
  await runner.stop();
});

test("a new membership goes on with a job at once, while its last run still sleeps", async () => {
  const { runner, heard, steps, membership, pass } = play({ a: { idleMs: 900 } });
  await runner.start();
  await pass(100);
  membership.holder = { nodeId: "n", epoch: 2 };
  runner.noteJob();
  await pass(10);
  expect(steps).toHaveLength(2);
  await pass(10_000);
  expect(heard.filter((each) => each.startsWith("running"))).toEqual(["running 1", "running 1"]);
  await runner.stop();
  expect(heard.at(-1)).toBe("running 0");
});

test("while the store is away it is asked again after growing pauses, and each failure is told", async () => {
  const { runner, heard, steps, looks, trouble, pass } = play({ a: { idleMs: 100 } });
  await runner.start();
  await pass(1_000);
  trouble.step = trouble.take = new StoreUnavailable("away");
  const before = { steps: steps.length, looks: looks.length };
  await pass(60_000);
  const troubles = heard.filter((each) => each.startsWith("away"));
  const failed = { steps: steps.length - before.steps, looks: looks.length - before.looks };
  const told = (what: string) => troubles.filter((each) => each === `away while ${what}`).length;
  expect([told("advancing the job a"), told("looking for jobs")]).toEqual([
    failed.steps,
    failed.looks,
  ]);
  expect(troubles).toHaveLength(failed.steps + failed.looks);
  expect(failed.steps).toBeLessThan(20);
  expect(failed.looks).toBeLessThan(20);
  trouble.step = trouble.take = undefined;
  await pass(6_000);
  const after = steps.length;
  await pass(1_000);
  expect(steps).toHaveLength(after + 10);
  await runner.stop();
});

test("a stop lets the step under way end, and begins nothing more", async () => {
  const { runner, jobs, steps, heard, waiting, pass } = play(
    { a: { stepMs: 50 }, b: { stepMs: 50 } },
    null,
  );
  await runner.start();
  await pass(10);
  expect(steps).toEqual(["a"]);
  let isStopped = false;
  const stopped = runner.stop().then(() => (isStopped = true));
  runner.noteJob();
  await pass(20);
  expect(isStopped).toBe(false);
  await pass(20);
  await stopped;
  expect(jobs.get("a")!.done).toBe(1);
  expect(heard.at(-1)).toBe("running 0");
  await pass(60_000);
  expect([steps, waiting()]).toEqual([["a"], 0]);
});

test("a runner that has not been started can be told and stopped", async () => {
  const { runner, looks, pass } = play({ a: {} });
  runner.noteJob();
  await pass(10_000);
  await runner.stop();
  expect(looks).toEqual([]);
});
