import { expect, test } from "vitest";
import { startedJob } from "../../domain/job.ts";
import { someJob } from "../../domain/testing/some-job.ts";
import { createMetrics } from "./metrics.ts";
import { observeJobs } from "./observe-jobs.ts";

const order = { jobId: "job_1", accountId: "acc_1", action: "redrive" } as const;
const job = startedJob(someJob({ ...order, note: "not for the log" }), 0);

function play() {
  const lines: string[] = [];
  const { registry, ...metrics } = createMetrics(async () => ({ pending: 0, ageMs: 0 }));
  const log = (level: string) => (fields: unknown, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const observer = observeJobs(metrics, { info: log("info"), warn: log("warn") } as never);
  const shown = async (name: string): Promise<string[]> =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith(name));
  return { observer, lines, shown };
}

test("counts changes by action, and the jobs that run", async () => {
  const { observer, lines, shown } = play();
  observer.runningJobs(2);
  observer.jobAdvanced(job, { ...job, matched: 7, done: 5 });
  observer.jobAdvanced({ ...job, done: 5 }, { ...job, done: 8, state: "DONE" });
  expect(await shown("postdate_job_changes_total")).toEqual([
    'postdate_job_changes_total{action="redrive"} 8',
  ]);
  expect(await shown("postdate_running_jobs")).toEqual(["postdate_running_jobs 2"]);
  expect(lines).toEqual([]);
});

test("logs a job that this node takes, and one that pauses itself", () => {
  const { observer, lines } = play();
  observer.jobTaken({ ...job, matched: 3, done: 2 });
  const paused = { state: "PAUSED", stopReason: "FAILURES", failedAgain: 20 } as const;
  observer.jobAdvanced(job, { ...job, ...paused });
  expect(lines).toEqual([
    'info job taken {"jobId":"job_1","accountId":"acc_1","action":"redrive","matched":3,"done":2}',
    'warn job paused {"jobId":"job_1","accountId":"acc_1","action":"redrive","matched":0,"done":0,"failedAgain":20,"stopReason":"FAILURES"}',
  ]);
});
