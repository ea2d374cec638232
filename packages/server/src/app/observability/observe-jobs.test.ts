import { expect, test } from "vitest";
import { startedJob } from "../../domain/job.ts";
import { someJob } from "../../domain/testing/some-job.ts";
import { idleSources } from "./idle-sources.ts";
import { createMetrics } from "./metrics.ts";
import { observeJobs } from "./observe-jobs.ts";

const order = { jobId: "job_1", accountId: "acc_1", action: "redrive" } as const;
const job = startedJob(someJob({ ...order, note: "not for the log" }), 0);

function play() {
  const lines: string[] = [];
  let now = 0;
  const clock = { monotonic: () => now };
  const { registry, ...metrics } = createMetrics({ ...idleSources, clock });
  const log = (level: string) => (fields: unknown, message: string) =>
    void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const observer = observeJobs(metrics, { info: log("info"), warn: log("warn") } as never);
  const shown = async (name: string): Promise<string[]> =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith(name));
  return { observer, lines, shown, pass: (ms: number) => void (now += ms) };
}

test("counts changes by action, and the jobs that run", async () => {
  const { observer, lines, shown } = play();
  observer.runningJobs(["job_1", "job_2"]);
  const skipped = { changed: 1, inFlight: 1 };
  observer.jobAdvanced(job, { ...job, matched: 7, done: 5, skipped });
  observer.jobAdvanced({ ...job, done: 5, skipped }, { ...job, done: 8, skipped, state: "DONE" });
  expect(await shown("postdate_job_changes_total")).toEqual(
    expect.arrayContaining([
      'postdate_job_changes_total{action="redrive"} 8',
      'postdate_job_changes_total{action="cancel"} 0',
    ]),
  );
  expect(await shown("postdate_job_skips_total")).toContain(
    'postdate_job_skips_total{action="redrive"} 2',
  );
  expect(await shown("postdate_running_jobs")).toEqual(["postdate_running_jobs 2"]);
  expect(lines).toEqual([]);
});

test("the age of the last step is that of the job that has waited longest, of those that run here", async () => {
  const { observer, shown, pass } = play();
  const age = async (): Promise<string | undefined> =>
    (await shown("postdate_job_step_age_seconds"))[0]?.split(" ")[1];
  expect(await age()).toBe("0");
  observer.runningJobs(["job_1"]);
  pass(3_000);
  observer.runningJobs(["job_1", "job_2"]);
  pass(2_000);
  expect(await age()).toBe("5");
  observer.jobAdvanced(job, { ...job, done: 1 });
  expect(await age()).toBe("2");
  observer.runningJobs(["job_1"]);
  expect(await age()).toBe("0");
  pass(1_000);
  observer.runningJobs([]);
  expect(await age()).toBe("0");
});

test("logs a job that this node takes, and logs and counts one that pauses itself", async () => {
  const { observer, lines, shown } = play();
  observer.jobTaken({ ...job, matched: 3, done: 2 });
  const paused = { state: "PAUSED", stopReason: "FAILURES", failedAgain: 20 } as const;
  observer.jobAdvanced(job, { ...job, ...paused });
  expect(await shown("postdate_jobs_paused_total")).toEqual(["postdate_jobs_paused_total 1"]);
  expect(lines).toEqual([
    'info job taken {"jobId":"job_1","accountId":"acc_1","action":"redrive","matched":3,"done":2}',
    'warn job paused {"jobId":"job_1","accountId":"acc_1","action":"redrive","matched":0,"done":0,"failedAgain":20,"stopReason":"FAILURES"}',
  ]);
});
