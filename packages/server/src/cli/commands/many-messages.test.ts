import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";
import { wireSchedule } from "../testing/wire-schedule.ts";
import { doneJob, jobId } from "../testing/wire-job.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const surroundings = { clock: { now: () => now, monotonic: () => 0 }, timeZone: "Europe/Berlin" };
const preview = { count: 1, exact: true, sample: [wireMessage()] };

const open = () =>
  connected(
    ({ body }) => ({
      json: Object(body).dryRun === true ? preview : doneJob({ action: "cancel" }),
    }),
    surroundings,
  );

const mail = { targetId: "mail" };

test.each<[string, object]>([
  ["redrive mail", { action: "redrive", filter: mail }],
  ["redrive --target mail", { action: "redrive", filter: mail }],
  ["redrive mail --target mail", { action: "redrive", filter: mail }],
  [
    "redrive mail --since 1d --until 1h",
    {
      action: "redrive",
      filter: {
        ...mail,
        minTime: "2026-11-13T09:30:00.000Z",
        maxTime: "2026-11-14T08:30:00.000Z",
      },
    },
  ],
  [
    "redrive mail --reason attempts-exhausted --status 503 --stop-after 5",
    {
      action: "redrive",
      filter: { ...mail, deadLetterReason: "ATTEMPTS_EXHAUSTED", lastStatusCode: 503 },
      stopAfterFailures: 5,
    },
  ],
  [
    "redrive --label order=17 --rate 10 --max 100 --note again",
    {
      action: "redrive",
      filter: { labels: { order: "17" } },
      ratePerSecond: 10,
      maxMessages: 100,
      note: "again",
    },
  ],
  [
    "cancel --label order=17 --label region=eu",
    { action: "cancel", filter: { labels: { order: "17", region: "eu" } } },
  ],
  [
    "cancel --target mail --key-prefix digest- --max-time 1h",
    {
      action: "cancel",
      filter: { ...mail, keyPrefix: "digest-", maxTime: "2026-11-14T10:30:00.000Z" },
    },
  ],
  ["shift --target mail --by 1d", { action: "shift", filter: mail, byMs: 86_400_000 }],
  ["shift --target mail --by -2h", { action: "shift", filter: mail, byMs: -7_200_000 }],
  [
    "shift --target mail --by=+90m --rate 5/s",
    { action: "shift", filter: mail, byMs: 5_400_000, ratePerSecond: 5 },
  ],
  [
    "reschedule --target mail --in 1h",
    { action: "reschedule", filter: mail, deliveryTime: "2026-11-14T10:30:00.000Z" },
  ],
  [
    "reschedule --target mail --at 12:00 --zone Europe/Berlin",
    { action: "reschedule", filter: mail, deliveryTime: "2026-11-14T11:00:00.000Z" },
  ],
  [
    "reschedule --label a=b --in 1h --min-time 12:00 --zone Europe/London",
    {
      action: "reschedule",
      filter: { labels: { a: "b" }, minTime: "2026-11-14T12:00:00.000Z" },
      deliveryTime: "2026-11-14T10:30:00.000Z",
    },
  ],
])("%s is a job", async (line, order) => {
  const terminal = await open();
  expect(await terminal.run(...line.split(" "), "--yes", "--json")).toBe(0);
  expect(terminal.stderr.text).toBe("");
  const [asked, started] = terminal.asked;
  expect([asked!.path, started!.path]).toEqual(["/v1/jobs", "/v1/jobs"]);
  expect(asked!.body).toEqual({ ...order, dryRun: true });
  expect(started!.body).toEqual(order);
  expect(started!.headers["idempotency-key"]).toBeDefined();
});

test.each<[string, RegExp]>([
  ["redrive", /say which messages: name their target, a --schedule .*, or a --label/],
  ["cancel --key-prefix a", /say which messages: name their target, a --schedule .*, or a --label/],
  [
    "cancel",
    /name the message, by its id .* or many of them, with --target, --schedule or --label/,
  ],
  [`cancel ${messageId} --label a=b`, /--label is for many messages: leave it out, or the id/],
  ["cancel --target mail --message-key k --yes", /--yes is for many .*, or --message-key/],
  ["cancel --target mail --zone UTC", /--zone says how to read --min-time and --max-time/],
  ["reschedule --target mail", /say when, with --in or --at/],
  ["reschedule --target mail --in 1h --not-after 2h", /--not-after is for one message/],
  ["reschedule --target mail --in 1h --no-not-after", /--not-after is for one message/],
  ["shift --target mail", /say how far, with --by, such as --by 1d/],
  ["shift mail", /for the messages of a target, type --target mail/],
  ["shift order=17 --by 1d", /for the messages that have a label, type --label order=17/],
  ["cancel order=17", /for the messages that have a label, type --label order=17/],
  ["reschedule order=17 --in 1h", /for the messages that have a label, type --label order=17/],
  ["redrive mail --target billing", /name one target, either mail or --target billing/],
  ["redrive mail --since yesterday", /write "yesterday 0:00" for its beginning, or 1d for the/],
  ["shift --target mail --by 0s", /--by moves nothing: "0s"; write it like 1d, 90m or -2h/],
  ["shift --target mail --by soon", /--by is not a duration/],
  ["redrive mail --rate 0", /--rate must be messages a second, from 1 to 10000, not "0"/],
  ["redrive mail --max 0", /--max must be a whole number from 1/],
  ["redrive mail --status 99", /--status must be a whole number from 100 to 599/],
  ["redrive mail --reason late", /--reason must be one of ATTEMPTS_EXHAUSTED, /],
  ["redrive mail --since 1h --until 2h", /--since .* is after --until/],
  ["redrive mail --sinze 1h", /Did you mean --since\?/],
  ["job list", /Did you mean jobs\?/],
  ["jobs rate job_1 fast", /The rate must be messages a second/],
  ["target remove mail --dry-run", /--dry-run goes with --cancel-messages/],
])("%s is wrong usage, and nothing is asked", async (line, said) => {
  const terminal = await open();
  expect(await terminal.run(...line.split(" "))).toBe(2);
  expect(terminal.stderr.text).toMatch(said);
  expect(terminal.asked).toEqual([]);
});

test("what a shift would do to each message is shown", async () => {
  const terminal = await open();
  expect(await terminal.run("shift", "--target", "mail", "--by", "1d", "--dry-run")).toBe(0);
  expect(terminal.stdout.text.split("\n").map((row) => row.split(/ {2,}/))).toEqual([
    ["1 scheduled message matches."],
    ["MESSAGE", "NEXT DELIVERY", "THEN"],
    [messageId, "2026-11-14T09:30:00.000Z (now)", "2026-11-15T09:30:00.000Z"],
    [""],
  ]);
});

test("a message that a shift moves into the past is shown as due at once", async () => {
  const terminal = await open();
  expect(await terminal.run("shift", "--target", "mail", "--by", "-1d", "--dry-run")).toBe(0);
  expect(terminal.stdout.text).toMatch(
    / at once\nWhat this moves into the past is due at once\.\n$/,
  );
});

test("a redrive of what is still to fail says that nothing can match", async () => {
  const terminal = await open();
  const argv = ["redrive", "mail", "--since", "tomorrow 9:00", "--dry-run", "--json"];
  expect(await terminal.run(...argv)).toBe(0);
  expect(terminal.stderr.text).toBe("--since is in the future: no dead letter can match.\n");
});

test("a range that a time of day moved to tomorrow is said with --json too", async () => {
  const terminal = await open();
  const argv = ["cancel", "--target", "mail", "--max-time", "9:00", "--yes", "--json"];
  expect(await terminal.run(...argv)).toBe(0);
  expect(terminal.stderr.text).toMatch(
    /^To 2026-11-15T09:00:00\+01:00 \(Europe\/Berlin, in .*\)\.\n$/,
  );
});

test("a target that still has messages is refused with what to type", async () => {
  const errors = [{ code: "E-DI-3003", message: "The target mail has scheduled messages." }];
  const terminal = await connected(() => ({ status: 409, json: { errors } }));
  expect(await terminal.run("target", "remove", "mail")).toBe(1);
  expect(terminal.stderr.text).toMatch(
    /E-DI-3003: .*\n`postdate target remove mail --cancel-messages` /,
  );
});

test("a target that has schedules is refused with where to find them", async () => {
  const errors = [{ code: "E-DI-3003", message: "The target mail has recurring schedules." }];
  const terminal = await connected(({ method, path }) => {
    if (method === "DELETE") return { status: 409, json: { errors } };
    if (path === "/v1/jobs") return { json: { count: 0, exact: true, sample: [] } };
    const isList = path.startsWith("/v1/schedules?");
    return { json: isList ? { items: [wireSchedule()], nextPageToken: null } : wireTarget() };
  });
  for (const argv of [[], ["--cancel-messages", "--yes"]]) {
    expect(await terminal.run("target", "remove", "mail", ...argv)).toBe(1);
  }
  const advice = /^`postdate schedule list --target mail` shows its schedules: /gm;
  expect(terminal.stderr.text.match(advice)).toHaveLength(2);
});

test("messages of several targets are shown with their targets", async () => {
  const terminal = await open();
  expect(await terminal.run("cancel", "--label", "order=17", "--dry-run")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^MESSAGE +NEXT DELIVERY +TARGET\n.* billing$/m);
});

test("target remove --cancel-messages is a job that removes the target", async () => {
  const terminal = await open();
  expect(await terminal.run("target", "remove", "mail", "--cancel-messages")).toBe(2);
  expect(terminal.stderr.text).toContain("Cancel all scheduled messages of mail, and remove it?");
  expect(await terminal.run("target", "remove", "mail", "--cancel-messages", "--yes")).toBe(0);
  expect(terminal.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/jobs",
    "POST /v1/jobs",
    "DELETE /v1/targets/mail?messages=cancel",
  ]);
});

test("a target without messages is removed by a job without a question", async () => {
  const none = { count: 0, exact: true, sample: [] };
  const terminal = await connected(({ method, path }) => {
    if (path === "/v1/jobs") return { json: none };
    const removal = doneJob({ action: "cancel", removesTarget: true });
    return { json: method === "DELETE" ? removal : wireTarget() };
  });
  expect(await terminal.run("target", "remove", "mail", "--cancel-messages")).toBe(0);
  expect(terminal.asked.at(-1)!.method).toBe("DELETE");
  expect(terminal.stdout.text).toContain("cancel messages, then remove the target\n");
  expect(terminal.stderr.text).toBe("");
});

test.each<[string, string, object | undefined]>([
  ["jobs show", "GET", undefined],
  ["jobs pause", "POST /pause", undefined],
  ["jobs resume", "POST /resume", undefined],
  ["jobs stop", "POST /stop", undefined],
  ["jobs rate", "PATCH", { ratePerSecond: 7 }],
])("%s calls the service once and shows the job", async (line, request, body) => {
  const terminal = await connected(() => ({ json: doneJob() }));
  const argv = [...line.split(" "), jobId, ...(line === "jobs rate" ? ["7"] : [])];
  expect(await terminal.run(...argv)).toBe(0);
  expect(terminal.stdout.text).toContain(jobId);
  const [{ method, path, body: sent } = terminal.asked[0]!] = terminal.asked;
  const [verb, change = ""] = request.split(" ");
  expect([method, path, sent]).toEqual([verb, `/v1/jobs/${jobId}${change}`, body]);
  expect(await terminal.run(...argv, "--json")).toBe(0);
  expect(terminal.asked).toHaveLength(2);
});

test("jobs list shows what each job does and how far it is", async () => {
  const items = [
    doneJob({ action: "cancel", filter: { labels: { order: "17" } }, done: 1_204 }),
    doneJob({ state: "FAILED", skipped: { changed: 2, inFlight: 1 }, failedAgain: 2 }),
  ];
  const terminal = await connected(() => ({ json: { items, nextPageToken: null } }), surroundings);
  expect(await terminal.run("jobs", "list")).toBe(0);
  const rows = terminal.stdout.text.trimEnd().split("\n");
  const time = "2026-11-14T09:30:00.000Z (now)";
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["JOB", "STATE", "ACTION", "CHANGED", "SKIPPED", "CREATED", "WHICH"],
    [jobId, "DONE", "cancel", "1,204", "0", time, "order=17"],
    [jobId, "FAILED", "redrive", "3 (2 failed again)", "3", time, "billing"],
  ]);
});

test.each(["show", "pause", "resume", "stop", "watch"])(
  "jobs %s of a job that is not there ends with 4",
  async (verb) => {
    const errors = [{ code: "E-DI-7001", message: "No such job." }];
    const terminal = await connected(() => ({ status: 404, json: { errors } }));
    expect(await terminal.run("jobs", verb, jobId)).toBe(4);
    expect(terminal.stderr.text).toBe(
      `There is no job ${jobId}. \`postdate jobs list\` shows all that are kept.\n`,
    );
  },
);
