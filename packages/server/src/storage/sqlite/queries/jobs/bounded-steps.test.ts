import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Job, JobCursor } from "../../../../domain/job.ts";
import { isLive } from "../../../../domain/job.ts";
import { someJob } from "../../../../domain/testing/some-job.ts";
import type { AskedJob } from "../../../../domain/testing/some-job.ts";
import { account, farFuture, newTarget, note, past } from "../../../conformance/harness.ts";
import type { Holder } from "../../../store.ts";
import { ClockedExecutor, SetClock } from "../../testing/clocked-executor.ts";

const ref = { accountId: account, jobId: "job_1" };
const byLabel = { filter: { targetId: null, labels: ["a:1"] } };
let dataDir: string;
let clock: SetClock;
let executor: ClockedExecutor;
let holder: Holder;
let targetKey: number;

function schedule(count: number, deliveryTime: number): void {
  const options = { labels: { a: "1" } };
  const draft = { accountId: account, targetId: "t", deliveryTime, payload: "" };
  const requests = Array.from({ length: count }, () => ({ ...draft, options, idempotency: null }));
  executor.run("scheduleMessages", requests);
}

function startJob(asked: AskedJob = {}): void {
  const order = someJob({ ...ref, ratePerSecond: 10_000, ...asked });
  executor.run("createJob", order, null, note());
  executor.run("takeJobs", holder, 1);
}

function step(): Job {
  clock.wall += 1_000;
  const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
  const made = executor.run("advanceJob", { ...ref, holder, endEntryId, removalEntryId });
  if (made.kind !== "advanced") throw new Error(made.kind);
  return made.job;
}

/** The steps up to the end. */
function steps(): Job[] {
  const made = [step()];
  while (isLive(made.at(-1)!.state)) made.push(step());
  return made;
}

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "postdate-steps-"));
  clock = new SetClock(Date.UTC(2026, 10, 15, 12));
  executor = new ClockedExecutor(dataDir, clock);
  executor.run("ensureAccount", account, "One");
  const target = executor.run("createTarget", newTarget("t", { maxConcurrency: 1_000 }), note());
  if (typeof target === "string") throw new Error(target);
  targetKey = target.targetKey;
  holder = executor.run("join", "node", "all");
});

afterEach(() => {
  executor.close();
  rmSync(dataDir, { recursive: true });
});

describe.each([{}, byLabel])("with %j", (filter) => {
  test("a look gives way to others after a few milliseconds, and the next one goes on", () => {
    schedule(500, farFuture);
    clock.lookMs = 3;
    const { jobId: _, actor: __, ...order } = someJob({ ...ref, ...filter });
    const counts: number[] = [];
    for (let after: JobCursor | null | undefined; after !== null;) {
      const request = { order, time: clock.wall, after: after ?? null, sample: 0 };
      const look = executor.run("lookForJob", request);
      counts.push(look.count);
      after = look.lookedUntil;
    }
    expect(counts.length).toBeGreaterThan(5);
    expect(counts.reduce((sum, each) => sum + each)).toBe(500);
  });

  test("a step does too, and the job meets each message once", () => {
    schedule(500, farFuture);
    startJob(filter);
    clock.lookMs = 3;
    const made = steps();
    expect(made.length).toBeGreaterThan(5);
    expect(made.at(-1)).toMatchObject({ state: "DONE", matched: 500, done: 500 });
  });
});

test("a step that finds nothing gives way as well", () => {
  schedule(500, farFuture);
  startJob({ filter: { keyPrefix: "none" } });
  clock.lookMs = 3;
  const made = steps();
  expect(made.length).toBeGreaterThan(5);
  expect(made.at(-1)).toMatchObject({ state: "DONE", matched: 0 });
});

test("so do the second turns of messages that were in flight", () => {
  schedule(300, past);
  const request = [{ targetKey, limit: 300 }];
  const { claims } = executor.run("claimDue", holder, request);
  expect(claims).toHaveLength(300);
  startJob();
  while (step().matched < 300);
  executor.run(
    "releaseClaims",
    holder,
    claims.map(({ messageId }) => messageId),
  );
  clock.lookMs = 3;
  const made = steps();
  expect(made.length).toBeGreaterThan(5);
  expect(made.at(-1)).toMatchObject({ state: "DONE", matched: 300, done: 300 });
});
