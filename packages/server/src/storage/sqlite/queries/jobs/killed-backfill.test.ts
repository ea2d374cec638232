import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backfillFilter } from "../../../../domain/schedules/steps/backfill-job.ts";
import { isLive } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import { someJob } from "../../../../domain/testing/some-job.ts";
import { account, hour, newTarget, note } from "../../../conformance/harness.ts";
import { every, noon, second } from "../../../conformance/schedules/schedule-harness.ts";
import type { Holder } from "../../../store.ts";
import { ClockedExecutor, SetClock } from "../../testing/clocked-executor.ts";

const startTime = noon - hour;
const count = 700;
const ref = { accountId: account, jobId: "job_1" };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "postdate-killed-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

class Life extends ClockedExecutor {
  readonly clock: SetClock;
  readonly holder: Holder;

  constructor(dataDir: string, clock = new SetClock(noon)) {
    super(dataDir, clock);
    this.clock = clock;
    this.holder = this.run("join", "node", "all");
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
    return rows.filter((time) => time < noon);
  }

  values(select: string): number[] {
    const statement = this.database.db.prepare(select);
    statement.setReturnArrays(true);
    return (statement.all() as unknown as number[][]).map(([value]) => value!);
  }
}

/** A store with a schedule, some of whose past runs were made, and a job that is to make the others. */
function begin(): Life {
  const life = new Life(join(folder, "first"));
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
  const kills: string[] = [];
  const doneAt: number[] = [];
  {
    using life = begin();
    const { db } = life.database;
    const execute = db.exec.bind(db);
    // What is in the files is what the next process finds.
    const kill = (): void => {
      const copy = join(folder, `kill-${kills.length}`);
      for (const file of ["postdate.db", "postdate.db-wal"]) {
        cpSync(join(folder, "first", file), join(copy, file));
      }
      kills.push(copy);
    };
    db.exec = (sql) => {
      if (sql !== "COMMIT") return execute(sql);
      kill();
      execute(sql);
      kill();
    };
    for (let job = life.step(); ; job = life.step()) {
      doneAt.push(job.done);
      if (!isLive(job.state)) break;
    }
  }
  expect(doneAt).toEqual([200, 400, 600, 700]);

  const expected = Array.from({ length: count }, (_, index) => startTime + index * second);
  // The last is after the end.
  for (const dataDir of kills.slice(0, -1)) {
    using life = new Life(dataDir);
    expect(life.run("takeJobs", life.holder, 9)).toEqual([ref]);
    expect(life.runToEnd()).toMatchObject({ state: "DONE", matched: count, done: count });
    expect(life.made()).toEqual(expected);
    expect(life.count("audit_entries WHERE action = 'job.ended'")).toBe(1);
    const scheduled = life.count("messages WHERE next_delivery_time IS NOT NULL");
    expect(life.run("counts")).toEqual({ pending: scheduled });
  }
});
