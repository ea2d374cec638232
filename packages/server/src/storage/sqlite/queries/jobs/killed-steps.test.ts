import { describe, expect, test } from "vitest";
import { isLive } from "../../../../domain/job.ts";
import { someJob } from "../../../../domain/testing/some-job.ts";
import type { AskedJob } from "../../../../domain/testing/some-job.ts";
import { account, farFuture, hour, newTarget, note, past } from "../../../conformance/harness.ts";
import type { JobStep } from "../../../store.ts";
import { SetClock } from "../../testing/clocked-executor.ts";
import { killedLives, Life } from "../../testing/killed-lives.ts";
import type { Kill } from "../../testing/killed-lives.ts";

const count = 450;
/** The walk comes there once more. */
const ahead = farFuture + 2 * count;
const ref = { accountId: account, jobId: "job_1" };
const noon = Date.UTC(2026, 10, 15, 12);
const lives = killedLives();

class WorkingLife extends Life {
  step(): JobStep {
    this.clock.wall += 300;
    const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
    return this.run("advanceJob", { ...ref, holder: this.holder, endEntryId, removalEntryId });
  }
}

/** A store with messages, the first of them in flight, and a job that is to change them all. */
function begin(asked: AskedJob, size = count): WorkingLife {
  const life = new WorkingLife(lives.first, new SetClock(noon));
  life.run("ensureAccount", account, "One");
  const target = life.run("createTarget", newTarget("t"), note());
  if (typeof target === "string") throw new Error(target);
  const draft = { accountId: account, targetId: "t", payload: "", options: null };
  const requests = Array.from({ length: size }, (_, index) => ({
    ...{ ...draft, idempotency: null },
    deliveryTime: index === 0 ? past : farFuture + index,
  }));
  life.run("scheduleMessages", requests);
  const request = [{ targetKey: target.targetKey, limit: 1 }];
  const { claims } = life.run("claimDue", life.holder, request);
  expect(claims).toHaveLength(1);
  life.run("createJob", someJob({ ...ref, ...asked }), null, note());
  life.run("takeJobs", life.holder, 1);
  return life;
}

function runToEnd(life: WorkingLife): JobStep {
  for (;;) {
    const step = life.step();
    if (step.kind !== "advanced" || !isLive(step.job.state)) return step;
  }
}

const changes: [string, AskedJob, changed: string][] = [
  ["shift forward", { action: "shift", byMs: hour }, `next_delivery_time - original = ${hour}`],
  ["shift backward", { action: "shift", byMs: -hour }, `next_delivery_time - original = ${-hour}`],
  ["reschedule", { action: "reschedule", deliveryTime: ahead }, `next_delivery_time = ${ahead}`],
  ["cancel", {}, "state = 3 AND version = 2"],
];

describe.each(changes)("a process that works on a job is killed: %s", (_name, asked, changed) => {
  const isChanged = changed.replace("original", "original_delivery_time");

  test("before or after any commit, and each message is changed once", () => {
    let kills: readonly Kill[];
    const doneAt: number[] = [];
    {
      using life = begin(asked);
      kills = lives.killAtCommits(life);
      for (let isWalking = true; isWalking;) {
        const step = life.step();
        if (step.kind !== "advanced") throw new Error(step.kind);
        doneAt.push(step.job.done);
        isWalking = step.job.progress.walkEndTime === null;
        expect(step.job.matched).toBeLessThanOrEqual(count);
      }
    }
    // The message in flight is still to come.
    expect(doneAt.at(-1)).toBe(count - 1);
    expect(new Set(doneAt).size).toBeGreaterThan(2);

    for (const { dataDir, wall } of kills) {
      using life = new WorkingLife(dataDir, new SetClock(wall));
      expect(life.run("takeJobs", life.holder, 9)).toEqual([ref]);
      expect(runToEnd(life)).toMatchObject({ job: { state: "DONE", matched: count, done: count } });
      expect(life.count(`messages WHERE ${isChanged}`)).toBe(count);
      expect(life.count("messages WHERE version = 2")).toBe(count);
      expect(life.count("audit_entries WHERE action = 'job.ended'")).toBe(1);
      const left = life.count("messages WHERE next_delivery_time IS NOT NULL");
      expect(life.run("counts")).toEqual({ pending: left });
    }
  });
});

test("what a large job has noted about its messages goes in pieces, and then the job", () => {
  using life = begin({}, 700);
  runToEnd(life);
  expect(life.count("job_messages")).toBe(200);
  const removed = (): number => life.run("removeExpired", 150).removed;
  expect([removed(), removed(), removed()]).toEqual([150, 50, 0]);
  expect(life.count("job_messages")).toBe(0);
  expect(life.count("jobs WHERE emptied = 1")).toBe(1);
  life.clock.wall += 2 * hour;
  while (removed() > 0);
  expect(life.count("jobs")).toBe(0);
});
