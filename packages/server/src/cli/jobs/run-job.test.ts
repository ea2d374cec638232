import type { Job, JobPreview, Message } from "@postdate/client";
import { expect, test } from "vitest";
import type { Input, Surroundings } from "../surroundings/surroundings.ts";
import type { Answer, Asked } from "../testing/answering-service.ts";
import { connected } from "../testing/connected-terminal.ts";
import { wireMessage, wireTarget } from "../testing/samples.ts";
import { typing } from "../testing/typing.ts";
import { doneJob, jobId, wireJob } from "../testing/wire-job.ts";

const now = Date.UTC(2026, 10, 14, 9, 40);
const atNow = { clock: { now: () => now, monotonic: () => performance.now() } };
const sample = [wireMessage({ state: "DEAD_LETTER", deadLetterTime: "2026-11-14T09:30:00.000Z" })];

/** Counts three messages, starts a job and shows these states of it, one at each look. */
function service(looks: readonly Job[] = [doneJob()], preview: Partial<JobPreview> = {}) {
  let look = 0;
  return ({ method, path, body }: Asked): Answer => {
    const { dryRun } = Object(body) as { dryRun?: boolean };
    if (dryRun === true) return { json: { count: 3, exact: true, sample, ...preview } };
    if (method === "POST" || method === "DELETE") return { json: wireJob() };
    if (path === "/v1/targets/billing") return { json: wireTarget() };
    return { json: looks[Math.min(look++, looks.length - 1)]! };
  };
}

function open(
  answer = service(),
  changes: Partial<Surroundings> = {},
  columns?: number,
): ReturnType<typeof connected> {
  return connected(answer, { ...atNow, ...changes }, columns);
}

const requests = (asked: readonly Asked[]): string[] =>
  asked.map(({ method, path }) => `${method} ${path}`);

test("a job is shown, asked about, started, watched and shown again", async () => {
  const terminal = await open(service(), { stdin: typing("y\n") });
  expect(await terminal.run("redrive", "billing")).toBe(0);
  expect(requests(terminal.asked)).toEqual([
    "POST /v1/jobs",
    "POST /v1/jobs",
    `GET /v1/jobs/${jobId}`,
  ]);
  const order = { action: "redrive", filter: { targetId: "billing" } };
  expect(terminal.asked.map(({ body }) => body)).toEqual([
    { ...order, dryRun: true },
    order,
    undefined,
  ]);
  expect(terminal.stderr.text).toBe(
    [
      "3 dead letters match.",
      "MESSAGE                         DEAD-LETTERED                          REASON",
      "msg_01kq3v9x2eb8fsm4t7w5ch6d0n  2026-11-14T09:30:00.000Z (10 min ago)  -",
      "… and 2 more.",
      "Redrive them? [y/N] ",
    ].join("\n"),
  );
  expect(terminal.stdout.text).toMatch(/^Job +job_\w+\nState +DONE\n/);
  expect(terminal.stdout.text).toContain("Changed       3\n");
});

test.each([["n\n"], ["\n"], ["what?\n"]])("the answer %j changes nothing", async (typed) => {
  const terminal = await open(service(), { stdin: typing(typed) });
  expect(await terminal.run("redrive", "billing")).toBe(1);
  expect(terminal.stderr.text).toMatch(/\[y\/N\] Nothing was changed\.\n$/);
  expect(terminal.asked).toHaveLength(1);
});

test("without a terminal and without --yes it refuses, and says what to do", async () => {
  const terminal = await open();
  expect(await terminal.run("redrive", "billing")).toBe(2);
  expect(terminal.stderr.text).toMatch(
    /Redrive them\? There is no terminal to ask, so nothing was changed\.\nAdd --yes to start, or --dry-run to see what would change\.\n$/,
  );
  expect(terminal.asked).toHaveLength(1);
});

test("the same refusal as JSON is the only thing that is written", async () => {
  const terminal = await open();
  expect(await terminal.run("redrive", "billing", "--json")).toBe(2);
  expect(JSON.parse(terminal.stderr.text)).toMatchObject({ errors: [{ code: "usage" }] });
  expect(terminal.stdout.text).toBe("");
});

test("--dry-run shows the preview on stdout and starts nothing", async () => {
  const terminal = await open();
  expect(await terminal.run("redrive", "billing", "--dry-run")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^3 dead letters match\.\nMESSAGE/);
  expect(await terminal.run("redrive", "billing", "--dry-run", "--json")).toBe(0);
  expect(terminal.stdout.text).toContain('"count": 3');
  expect(terminal.stderr.text).toBe("");
  expect(terminal.asked).toHaveLength(2);
});

const at = (time: string): string => `2026-11-14T${time}:00.000Z`;
const fixed = wireMessage({ nextDeliveryTime: at("10:00"), notAfter: at("11:00") });
const relative = wireMessage({ ...fixed, notAfterMs: 3_600_000 });
const free = wireMessage({ nextDeliveryTime: at("10:00") });

function openWith(messages: readonly Message[]): ReturnType<typeof connected> {
  return open(service([], { count: messages.length, sample: [...messages] }));
}

/** The last column of each message, and what is below the table. */
const ends = (text: string): (string | undefined)[] =>
  text
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((line) => (line.startsWith("msg_") ? line.split(/ {2,}/).at(-1) : line));

test("a shift shows which messages it would skip, because their notAfter stays", async () => {
  const terminal = await openWith([fixed, relative, free]);
  await terminal.run("shift", "--target", "billing", "--by", "1h", "--dry-run");
  expect(ends(terminal.stdout.text)).toEqual([
    "skipped: past its notAfter",
    at("11:00"),
    at("11:00"),
    "One of those shown would be skipped: its notAfter comes first.",
  ]);
  const several = await openWith([fixed, fixed]);
  await several.run("shift", "--target", "billing", "--by", "2h", "--dry-run");
  expect(several.stdout.text).toMatch(
    /\n2 of those shown would be skipped: their notAfter comes first\.\n$/,
  );
});

test("a reschedule shows times only if it would skip some of the messages", async () => {
  const terminal = await openWith([fixed, relative, free]);
  const argv = ["reschedule", "--target", "billing", "--dry-run", "--at"];
  await terminal.run(...argv, at("10:59"));
  expect(terminal.stdout.text).not.toMatch(/THEN|skipped/);
  await terminal.run(...argv, at("11:00"));
  expect(ends(terminal.stdout.text.slice(terminal.stdout.text.lastIndexOf("3 sched")))).toEqual([
    "skipped: past its notAfter",
    at("11:00"),
    at("11:00"),
    "One of those shown would be skipped: its notAfter comes first.",
  ]);
});

test("--yes --json prints the job once it is done, and nothing else", async () => {
  const terminal = await open(service([wireJob({ done: 1 }), doneJob()]));
  expect(await terminal.run("redrive", "billing", "--yes", "--json")).toBe(0);
  expect(JSON.parse(terminal.stdout.text)).toEqual(doneJob());
  expect(terminal.stderr.text).toBe("");
});

test("--detach starts the job and says how to watch it", async () => {
  const terminal = await open();
  expect(await terminal.run("redrive", "billing", "--yes", "--detach")).toBe(0);
  expect(terminal.asked).toHaveLength(2);
  expect(terminal.stdout.text).toMatch(/^State +RUNNING$/m);
  expect(terminal.stderr.text).toMatch(
    new RegExp(`\`postdate jobs watch ${jobId}\` watches it\\.\n$`),
  );
});

test("where nothing matches, no job is started", async () => {
  const terminal = await open(service([], { count: 0, sample: [] }));
  expect(await terminal.run("redrive", "billing", "--yes")).toBe(0);
  expect(requests(terminal.asked)).toEqual(["POST /v1/jobs", "GET /v1/targets/billing"]);
  const said = "No dead letter matches: nothing was started.\n";
  expect([terminal.stdout.text, terminal.stderr.text]).toEqual(["", said]);
  expect(await terminal.run("redrive", "billing", "--dry-run")).toBe(0);
  expect(terminal.stdout.text).toBe("No dead letter matches.\n");
});

test("a misspelt target is an error, with similar names", async () => {
  const errors = [{ code: "E-DI-3001", message: "There is no such target." }];
  const terminal = await open(({ path }) =>
    path.startsWith("/v1/targets?")
      ? { json: { items: [wireTarget()] } }
      : { status: 400, json: { errors } },
  );
  expect(await terminal.run("redrive", "biling", "--yes")).toBe(4);
  expect(terminal.stderr.text).toBe("There is no target biling. Did you mean billing?\n");
});

test("an answer that was typed before the question is none", async () => {
  const typed = ["y\n"];
  const stdin: Input = {
    isTTY: true,
    discardTyped: async () => typed.splice(0, 1, "n\n").join(""),
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(typed.join(""));
    },
  };
  const terminal = await open(service(), { stdin });
  expect(await terminal.run("redrive", "billing")).toBe(1);
  expect(terminal.asked).toHaveLength(1);
});

/** A person who has typed this ahead, and then waits. */
function waiting(typedAhead = ""): Input {
  const nothing = Promise.withResolvers<never>();
  return {
    isTTY: true,
    discardTyped: async () => typedAhead,
    destroy: () => nothing.reject(new Error("the input was closed")),
    async *[Symbol.asyncIterator]() {
      yield await nothing.promise;
    },
  };
}

test("Ctrl-C at the question ends with 130, and says that nothing was changed", async () => {
  const terminal = await open(service(), { stdin: waiting() });
  const ended = terminal.run("redrive", "billing");
  await terminal.stderr.shows(/\[y\/N\] /);
  terminal.signal("SIGINT");
  expect(await ended).toBe(130);
  expect(terminal.stderr.text).toMatch(/\[y\/N\] \nInterrupted: nothing was changed\.\n$/);
  expect(terminal.asked).toHaveLength(1);
});

test("so does a Ctrl-C that was typed just before the question", async () => {
  const terminal = await open(service(), { stdin: waiting("y\u0003") });
  expect(await terminal.run("redrive", "billing")).toBe(130);
  expect(terminal.stderr.text).toMatch(/Interrupted: nothing was changed\.\n$/);
});

test("--idempotency-key goes with the job", async () => {
  const terminal = await open();
  expect(await terminal.run("redrive", "billing", "--yes", "--idempotency-key", "k1")).toBe(0);
  expect(terminal.asked[1]!.headers["idempotency-key"]).toBe("k1");
});

test("a redrive that is done says what failed again, with --json too", async () => {
  const terminal = await open(service([doneJob({ failedAgain: 2 })]));
  const warning =
    "Warning: 2 messages failed again. What no retry delivers becomes a dead letter again: mend the target, then `postdate redrive billing`.\n";
  expect(await terminal.run("redrive", "billing", "--yes")).toBe(0);
  expect(terminal.stderr.text.endsWith(warning)).toBe(true);
  expect(await terminal.run("redrive", "billing", "--yes", "--json")).toBe(0);
  expect(terminal.stderr.text.endsWith(`${warning}${warning}`)).toBe(true);
});

test.each<[readonly string[]]>([
  [["shift", "--target", "billing", "--by", "1d", "--yes"]],
  [["jobs", "stop", jobId]],
])("a shift that was stopped says that %j would move some twice", async (argv) => {
  const stopped = doneJob({ action: "shift", byMs: 86_400_000, state: "STOPPED", done: 2 });
  const terminal = await open((asked) =>
    asked.path.endsWith("/stop") ? { json: stopped } : service([stopped])(asked),
  );
  await terminal.run(...argv);
  expect(terminal.stderr.text).toMatch(
    /The same command would move the same 2 messages again: name the others with --min-time and --max-time\.\n$/,
  );
});

test.each<[Partial<Job>, RegExp]>([
  [{ state: "PAUSED", stopReason: "FAILURES" }, /Paused: too many .*\n.*postdate jobs resume job_/],
  [{ state: "PAUSED", stopReason: "REQUESTED" }, /Paused: `postdate jobs resume job_\w+` goes on/],
  [{ state: "STOPPED", stopReason: "REQUESTED" }, /Stopped\. What the job has changed stays/],
  [{ state: "FAILED", stopReason: "TARGET_REMOVED" }, /Failed: somebody has removed billing/],
  [{ state: "FAILED", stopReason: "TARGET_HAS_MESSAGES" }, /Failed: new messages .* billing/],
])("a job that is %o ends with 1, and says what to do", async (change, said) => {
  const terminal = await open(service([doneJob(change)]));
  expect(await terminal.run("redrive", "billing", "--yes")).toBe(1);
  expect(terminal.stdout.text).toContain(change.state!);
  expect(terminal.stderr.text).toMatch(said);
  expect(await terminal.run("redrive", "billing", "--yes", "--json")).toBe(1);
});

test("a job that is in the way is named, with what to do about it", async () => {
  const message = `The target billing has the job ${jobId}.`;
  const terminal = await open((asked) =>
    Object(asked.body).dryRun === true
      ? service()(asked)
      : { status: 409, json: { errors: [{ code: "E-DI-7002", message }] } },
  );
  expect(await terminal.run("redrive", "billing", "--yes")).toBe(1);
  expect(terminal.stderr.text).toMatch(
    new RegExp(`E-DI-7002: .*\n\`postdate jobs show ${jobId}\` shows it, .*\n$`),
  );
});

test("more than can be counted is said to be more, and then there is no bar to fill", async () => {
  const many = service([wireJob({ done: 150_000 }), doneJob()], { count: 100_000, exact: false });
  const terminal = await open(many, { stdin: typing("yes\n") }, 120);
  expect(await terminal.run("redrive", "billing", "--rate", "1000")).toBe(0);
  expect(terminal.stderr.text).toContain("More than 100,000 dead letters match.\n");
  expect(terminal.stderr.text).toContain("… and more.\n");
  expect(terminal.stderr.text).toContain(
    "Redrive them, at most 1,000 a second (more than 1 min 40 s)? [y/N] ",
  );
  expect(terminal.stderr.text).toMatch(/Redriving.* 0 so far/);
  expect(terminal.stderr.text).not.toContain("░");
});

test("a service that looked only at a part may still have something to change", async () => {
  const some = service([doneJob()], { count: 0, exact: false, sample: [] });
  const terminal = await open(some);
  expect(await terminal.run("redrive", "billing", "--yes")).toBe(0);
  expect(terminal.stderr.text).toContain("not all were looked at");
  expect(terminal.asked).toHaveLength(3);
});

test("a terminal has a bar, which is gone at the end", async () => {
  const looks = [wireJob({ done: 1 }), wireJob({ done: 2, failedAgain: 1 }), doneJob()];
  const terminal = await open(service(looks), {}, 120);
  expect(await terminal.run("redrive", "billing", "--yes")).toBe(0);
  expect(terminal.stderr.text).toMatch(/Redriving.*░.* 0 of 3/);
  expect(terminal.stderr.text).toMatch(/1 of 3, \d+\/s, .* left/);
  expect(terminal.stderr.text.endsWith("\r\u001b[K")).toBe(true);
});
