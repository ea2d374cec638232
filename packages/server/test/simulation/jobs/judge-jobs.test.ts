import { expect, test } from "vitest";
import { startedJob } from "../../../src/domain/job.ts";
import type { Job } from "../../../src/domain/job.ts";
import { someJob } from "../../../src/domain/testing/some-job.ts";
import { judgeJobs } from "./judge-jobs.ts";
import type { JobHistory, ShiftedMessage, ShiftJob } from "./judge-jobs.ts";

const second = 1_000;

function jobOf(byMs: number, changes: Partial<Job>): ShiftJob {
  const order = someJob({ action: "shift", byMs, jobId: `job of ${byMs}` });
  const final = { ...startedJob(order, 0), ...changes };
  return { targetId: "t", byMs, final, stopped: null };
}

function shifted(...byMs: number[]): ShiftedMessage[] {
  return byMs.map((ms, place) => ({
    messageId: `m${place}`,
    targetId: "t",
    scheduledFor: 1_000_000 + place,
    finallyAt: 1_000_000 + place + ms,
  }));
}

const forward = jobOf(second, { state: "DONE", matched: 3, done: 3 });
const backward = jobOf(-5 * second, { state: "STOPPED", matched: 2, done: 2 });
const kept: JobHistory = {
  jobs: [forward, backward],
  messages: shifted(second, -4 * second, -4 * second),
};

const timesOf = (messages: readonly ShiftedMessage[]) =>
  new Map(messages.map(({ messageId, finallyAt }) => [messageId, finallyAt]));

test("a history in which every promise was kept has no problems", () => {
  expect(judgeJobs(kept)).toEqual([]);
  const stopped = { job: backward.final, times: timesOf(kept.messages) };
  expect(judgeJobs({ ...kept, jobs: [forward, { ...backward, stopped }] })).toEqual([]);
});

test.each<[string, JobHistory, RegExp]>([
  [
    "a message shifted twice",
    { ...kept, messages: shifted(2 * second, -4 * second, -4 * second) },
    /m0 was shifted by 2000 ms/,
  ],
  [
    "a message left out",
    { ...kept, messages: shifted(0, -4 * second, -4 * second) },
    /says that it changed 3, and changed 2/,
  ],
  [
    "a shift that no job made",
    { ...kept, messages: shifted(second + 1, -4 * second, -4 * second) },
    /m0 was shifted by 1001 ms/,
  ],
  [
    "a job that does not account for what it met",
    { ...kept, jobs: [jobOf(second, { state: "DONE", matched: 4, done: 3 }), backward] },
    /met 4/,
  ],
  [
    "a job that is still running",
    { ...kept, jobs: [jobOf(second, { matched: 3, done: 3 }), backward] },
    /is RUNNING at the end/,
  ],
  [
    "a change after a stop",
    {
      ...kept,
      jobs: [
        forward,
        {
          ...backward,
          stopped: {
            job: backward.final,
            times: timesOf(shifted(second, second, -4 * second)),
          },
        },
      ],
    },
    /was stopped after 2, when 1 were shifted/,
  ],
])("%s is found", (_what, history, problem) => {
  expect(judgeJobs(history).join("\n")).toMatch(problem);
});
