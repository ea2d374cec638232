import type { Job } from "@postdate/client";
import { expect, test } from "vitest";
import type { Input, Surroundings } from "../surroundings/surroundings.ts";
import type { Answer, Asked } from "../testing/answering-service.ts";
import { connected } from "../testing/connected-terminal.ts";
import { doneJob, jobId, wireJob } from "../testing/wire-job.ts";

const question = /Stop the job \(s\), or pause it to go on later \(p\)\? .* \[s\/p\/N\] /;
const goesOn = `Stopped watching. The job itself goes on:\n\`postdate jobs watch ${jobId}\` watches it again, \`postdate jobs stop ${jobId}\` ends it.\n`;

/** A person who types when told to, at a terminal. */
function keyboard() {
  const typed = Promise.withResolvers<string>();
  const stdin: Input = {
    isTTY: true,
    destroy: () => typed.reject(new Error("the input was closed")),
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(await typed.promise);
    },
  };
  return { stdin, type: (text: string) => typed.resolve(text) };
}

/** A job that goes on until it is told to stop. */
function service(changes: Partial<Job> = {}) {
  let job: Job = wireJob(changes);
  const answer = ({ path }: Asked): Answer => {
    if (path.endsWith("/stop")) job = doneJob({ state: "STOPPED", stopReason: "REQUESTED" });
    if (path.endsWith("/pause")) job = wireJob({ state: "PAUSED", stopReason: "REQUESTED" });
    return { json: job };
  };
  return { answer, end: () => void (job = doneJob()) };
}

const watching = async (changes: Partial<Surroundings> = {}) => {
  const { answer, end } = service();
  const terminal = await connected(answer, changes, 100);
  const ended = terminal.run("jobs", "watch", jobId);
  await terminal.stderr.shows(/so far/);
  return { terminal, ended, end };
};

test.each(["s\n", "Stop\n"])("Ctrl-C asks, and %j stops the job", async (answer) => {
  const { stdin, type } = keyboard();
  const { terminal, ended } = await watching({ stdin });
  terminal.signal("SIGINT");
  await terminal.stderr.shows(question);
  type(answer);
  expect(await ended).toBe(1);
  expect(terminal.asked.map(({ path }) => path)).toContain(`/v1/jobs/${jobId}/stop`);
  expect(terminal.stdout.text).toMatch(/STOPPED/);
  expect(terminal.stderr.text).toMatch(/Stopped\. What the job has changed stays changed\.\n$/);
});

test("the answer p pauses the job, and says how it goes on", async () => {
  const { stdin, type } = keyboard();
  const { terminal, ended } = await watching({ stdin });
  terminal.signal("SIGINT");
  await terminal.stderr.shows(question);
  type("p\n");
  expect(await ended).toBe(1);
  expect(terminal.asked.map(({ path }) => path)).toContain(`/v1/jobs/${jobId}/pause`);
  expect(terminal.stderr.text).toMatch(/Paused: `postdate jobs resume job_\w+` goes on\.\n$/);
});

test.each(["\n", "y\n", "no\n"])("the answer %j ends the watching alone", async (answer) => {
  const { stdin, type } = keyboard();
  const { terminal, ended } = await watching({ stdin });
  terminal.signal("SIGINT");
  await terminal.stderr.shows(question);
  type(answer);
  expect(await ended).toBe(1);
  expect(terminal.stderr.text.endsWith(goesOn)).toBe(true);
  expect(terminal.asked.map(({ method }) => method)).not.toContain("POST");
});

test("a second Ctrl-C ends the watching alone", async () => {
  const { stdin } = keyboard();
  const { terminal, ended } = await watching({ stdin });
  terminal.signal("SIGINT");
  await terminal.stderr.shows(question);
  terminal.signal("SIGINT");
  expect(await ended).toBe(1);
  expect(terminal.stderr.text.endsWith(`\n${goesOn}`)).toBe(true);
});

test("a Ctrl-C that npm passes on counts once", async () => {
  const { stdin, type } = keyboard();
  const launcher = { hasEnded: () => false };
  const { terminal, ended } = await watching({ stdin, launcher });
  terminal.signal("SIGINT");
  terminal.signal("SIGINT");
  await terminal.stderr.shows(question);
  type("s\n");
  expect(await ended).toBe(1);
  expect(terminal.stdout.text).toMatch(/STOPPED/);
});

test("a job that may meet only so many messages has a bar", async () => {
  const { answer, end } = service({ maxMessages: 40, done: 10 });
  const terminal = await connected(answer, {}, 100);
  const ended = terminal.run("jobs", "watch", jobId);
  await terminal.stderr.shows(/25 % +10 of 40/);
  end();
  expect(await ended).toBe(0);
});

test("a job that ends while the question is open is shown", async () => {
  const { stdin } = keyboard();
  const { terminal, ended, end } = await watching({ stdin });
  terminal.signal("SIGINT");
  await terminal.stderr.shows(question);
  end();
  expect(await ended).toBe(0);
  expect(terminal.stdout.text).toMatch(/DONE/);
});

test("a Ctrl-C while the job is looked up counts when it is there", async () => {
  const { answer } = service();
  const terminal = await connected((asked) => {
    if (terminal.asked.length === 1) terminal.signal("SIGINT");
    return answer(asked);
  });
  expect(await terminal.run("jobs", "watch", jobId)).toBe(1);
  expect(terminal.stderr.text).toBe(goesOn);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "without a terminal %s ends the watching alone",
  async (signal) => {
    const { terminal, ended } = await watching();
    terminal.signal(signal);
    expect(await ended).toBe(1);
    expect(terminal.stderr.text.endsWith(goesOn)).toBe(true);
  },
);

test("a service that goes away leaves the job to be watched later", async () => {
  const { terminal, ended } = await watching();
  await terminal.closeService();
  expect(await ended).toBe(3);
  expect(terminal.stderr.text).toMatch(
    new RegExp(`Cannot reach .*\nThe job itself goes on: \`postdate jobs watch ${jobId}\` .*\n$`),
  );
});
