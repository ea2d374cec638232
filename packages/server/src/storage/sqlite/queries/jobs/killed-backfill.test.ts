import { expect, test } from "vitest";
import { backfillFilter } from "../../../../domain/schedules/steps/backfill-job.ts";
import { isLive } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import { someJob } from "../../../../domain/testing/some-job.ts";
import { account, hour, newTarget, note } from "../../../conformance/harness.ts";
import { every, noon, second } from "../../../conformance/schedules/schedule-harness.ts";
import { SetClock } from "../../testing/clocked-executor.ts";
import { killedLives, Life } from "../../testing/killed-lives.ts";
import type { Kill } from "../../testing/killed-lives.ts";

const startTime = noon - hour;
const count = 700;
const ref = { accountId: account, jobId: "job_1" };
const lives = killedLives();

class BackfillingLife extends Life {
  constructor(dataDir: string) {
    super(dataDir, new SetClock(noon));
  }

  step(): Job {
    this.clock.wall += second;
    const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
    const request = { ...ref, holder: this.holder, endEntryId, removalEntryId };
    const step = this.run("advanceJob", request);
    if (step.kind !== "advanced") throw new Error(step.kind);
    return step.job;
  }

  runToEnd(): Job {
    for (;;) {
      const job = this.step();
      if (!isLive(job.state)) return job;
    }
  }

  /** The run times of messages that a backfill made, and what their rows say. */
  made(): unknown[] {
    const messages = this.values(
      "SELECT options ->> '$.schedule.runTime' AS time FROM messages ORDER BY time",
    );
    const rows = this.values(
      "SELECT run_time FROM schedule_runs WHERE outcome = 0 ORDER BY run_time",
    );
    expect(messages).toEqual(rows);
    return rows.flat().filter((time) => (time as number) < noon);
  }
}

/** A store with a schedule, some of whose past runs were made, and a job that is to make the others. */
function begin(): BackfillingLife {
  const life = new BackfillingLife(lives.first);
  life.run("ensureAccount", account, "One");
  life.run("createTarget", newTarget("t"), note());
  const schedule = {
    accountId: account,
    scheduleId: "a",
    definition: every(second, { startTime }),
  };
  life.run("createSchedule", schedule, note());
  const span = { from: startTime, until: startTime + (count - 1) * second };
  const filter = backfillFilter({ scheduleId: "a", targetId: "t" }, span);
  life.run("createJob", someJob({ ...ref, action: "backfill", filter }), null, note());
  life.run("takeJobs", life.holder, 1);
  return life;
}

test("killed before or after any commit of a backfill, and each run is made once", () => {
  let kills: readonly Kill[];
  const doneAt: number[] = [];
  {
    using life = begin();
    kills = lives.killAtCommits(life);
    for (let job = life.step(); ; job = life.step()) {
      doneAt.push(job.done);
      if (!isLive(job.state)) break;
    }
  }
  expect(doneAt).toEqual([200, 400, 600, 700]);

  const expected = Array.from({ length: count }, (_, index) => startTime + index * second);
  // The last is after the end.
  for (const { dataDir } of kills.slice(0, -1)) {
    using life = new BackfillingLife(dataDir);
    expect(life.run("takeJobs", life.holder, 9)).toEqual([ref]);
    expect(life.runToEnd()).toMatchObject({ state: "DONE", matched: count, done: count });
    expect(life.made()).toEqual(expected);
    expect(life.count("audit_entries WHERE action = 'job.ended'")).toBe(1);
    const scheduled = life.count("messages WHERE next_delivery_time IS NOT NULL");
    expect(life.run("counts")).toEqual({ pending: scheduled });
  }
});
