import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage } from "../testing/samples.ts";
import { atSchedule, clock } from "../testing/schedule-service.ts";
import { typing } from "../testing/typing.ts";
import { wireRun, wireSchedule } from "../testing/wire-schedule.ts";

const path = "/v1/schedules/digest";
const time = "2026-03-27T08:00:00Z";
const pageOf = (...items: readonly object[]) => ({ items, nextPageToken: null });

test.each<[string, string[], string, unknown, object]>([
  ["show", ["show", "digest"], `GET ${path}`, undefined, wireSchedule()],
  ["list", ["list"], "GET /v1/schedules", undefined, pageOf(wireSchedule())],
  [
    "list with a filter",
    ["list", "--target", "mail", "--paused", "yes", "--limit", "5"],
    "GET /v1/schedules?targetId=mail&paused=true&limit=5",
    undefined,
    pageOf(wireSchedule()),
  ],
  ["runs", ["runs", "digest"], `GET ${path}/runs`, undefined, pageOf(wireRun())],
  ["pause", ["pause", "digest"], `POST ${path}/pause`, {}, wireSchedule()],
  [
    "pause until",
    ["pause", "digest", "--until", time, "--note", "holidays"],
    `POST ${path}/pause`,
    { until: time, note: "holidays" },
    wireSchedule(),
  ],
  ["resume", ["resume", "digest"], `POST ${path}/resume`, undefined, wireSchedule()],
  ["skip", ["skip", "digest", time], `POST ${path}/skip`, { time }, wireSchedule()],
  ["unskip", ["unskip", "digest", time], `POST ${path}/unskip`, { time }, wireSchedule()],
  ["trigger", ["trigger", "digest"], `POST ${path}/trigger`, undefined, wireRun()],
  ["remove", ["remove", "digest", "--yes"], `DELETE ${path}`, undefined, wireSchedule()],
])(
  "schedule %s calls the service once and with --json prints its answer",
  async (_name, argv, asked, body, json) => {
    const terminal = await connected(() => ({ json }));
    expect(await terminal.run("schedule", ...argv, "--json")).toBe(0);
    const [request] = terminal.asked;
    expect(terminal.asked).toHaveLength(1);
    expect(`${request!.method} ${request!.path}`).toBe(asked);
    expect(request!.body).toEqual(body);
    expect(JSON.parse(terminal.stdout.text)).toEqual(json);
    expect(terminal.stderr.text).toBe("");
  },
);

test("list shows the next run, the last outcome, and what is paused or ended", async () => {
  const schedules = [
    wireSchedule({ lastRun: wireRun() }),
    wireSchedule({
      scheduleId: "poll",
      cron: null,
      everyMs: 900_000,
      timeZone: "UTC",
      paused: true,
      nextRunTime: null,
      lastRun: wireRun({
        outcome: "SKIPPED",
        reason: "OVERLAP",
        messageId: null,
        messageState: null,
      }),
    }),
    wireSchedule({ scheduleId: "once", cron: null, at: ["2026-01-01T09:00"], nextRunTime: null }),
  ];
  const terminal = await connected(() => ({ json: pageOf(...schedules) }), { clock });
  expect(await terminal.run("schedule", "list")).toBe(0);
  const rows = terminal.stdout.text.trimEnd().split("\n");
  const ago = "2026-03-26T08:00:00.000Z (4 h ago)";
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["SCHEDULE", "STATE", "NEXT RUN", "LAST RUN", "TARGET", "WHEN"],
    [
      ...["digest", "active", "2026-03-27T08:00:00.000Z (in 20 h)", `DELIVERED ${ago}`],
      ...["mail", "0 9 * * MON-FRI (Europe/Berlin)"],
    ],
    ["poll", "paused", "-", `SKIPPED ${ago}`, "mail", "every 15 min (UTC)"],
    ["once", "ended", "-", "-", "mail", "at 2026-01-01T09:00 (Europe/Berlin)"],
  ]);
});

test("runs shows what became of each, and why", async () => {
  const missed = { messageId: null, messageState: null };
  const runs = [
    wireRun({ trigger: "CATCH_UP", messageState: "DEAD_LETTER" }),
    wireRun({ outcome: "SKIPPED", reason: "REQUESTED", ...missed }),
    wireRun({ outcome: "MISSED", reason: "NOT_CAUGHT_UP", ...missed }),
    wireRun({ messageState: null }),
  ];
  const terminal = await connected(() => ({ json: pageOf(...runs) }), { clock });
  expect(await terminal.run("schedule", "runs", "digest")).toBe(0);
  const rows = terminal.stdout.text.trimEnd().split("\n");
  const time = "2026-03-26T08:00:00.000Z (4 h ago)";
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["RUN TIME", "OUTCOME", "TRIGGER", "MESSAGE", "REASON"],
    [time, "DEAD_LETTER", "CATCH_UP", messageId, "-"],
    [time, "SKIPPED", "TIME", "-", "somebody skipped it"],
    [time, "MISSED", "TIME", "-", "missed, and not to be caught up"],
    [time, "CREATED", "TIME", messageId, "-"],
  ]);
});

test.each([
  ["list", "No schedules yet: postdate schedule add makes one.\n"],
  ["list --paused no", "No schedule matches.\n"],
  ["runs digest", "No runs of digest yet.\n"],
])("schedule %s says that there is nothing", async (line, said) => {
  const terminal = await connected(() => ({ json: pageOf() }));
  expect(await terminal.run("schedule", ...line.split(" "))).toBe(0);
  expect(terminal.stderr.text).toBe(said);
});

test("a paused schedule says since when, until when and why", async () => {
  const pause = {
    time: "2026-03-26T11:00:00.000Z",
    note: "holidays",
    until: "2026-04-06T22:00:00.000Z",
    reason: "REQUESTED" as const,
  };
  const nextRunTime = "2026-04-07T07:00:00.000Z";
  const terminal = await atSchedule(wireSchedule({ paused: true, pause, nextRunTime }));
  expect(await terminal.run("schedule", "pause", "digest", "--until", "2026-04-07 0:00")).toBe(0);
  expect(terminal.stderr.text).toBe(
    "Paused until 2026-04-07T00:00:00+02:00 (Europe/Berlin, in 11 d 10 h).\n",
  );
  const [card = "", runs = ""] = terminal.stdout.text.split("\n\n");
  expect(card).toMatch(
    /^State +paused\nPaused +2026-03-26T11:.*\nUntil +2026-04-06T22:.*\nNote +holidays$/m,
  );
  // The first run after the pause.
  expect(runs).toMatch(/^LOCAL .*\n2026-04-07T09:00:00\+02:00 /);
});

test("a schedule that has paused itself says so, and shows no runs", async () => {
  const { time: since } = { time: "2026-03-26T11:00:00.000Z" };
  const pause = { time: since, note: null, until: null, reason: "DEAD_LETTERS" as const };
  const terminal = await atSchedule(wireSchedule({ paused: true, pause, nextRunTime: null }));
  expect(await terminal.run("schedule", "show", "digest")).toBe(0);
  expect(terminal.stdout.text).toMatch(
    /^Reason +too many dead letters in a row\nUntil +it is resumed$/m,
  );
  expect(terminal.stdout.text).not.toContain("LOCAL");
});

const waiting = wireSchedule({
  ...{ overlap: "queue", cron: ["0 * * * *"], timeZone: "UTC" },
  ...{ nextRunTime: "2026-03-26T11:00:00.000Z", waitsForMessageId: messageId },
});

test("a queue says which message it waits for, of which run, and since when", async () => {
  const message = wireMessage({
    ...{ scheduleId: "digest", runTime: "2026-03-26T10:00:00.000Z", deliveryFailureCount: 2 },
    nextDeliveryTime: "2026-03-26T12:05:00.000Z",
  });
  const terminal = await atSchedule(waiting, ({ path: asked }) =>
    asked.startsWith("/v1/messages/") ? { json: message } : undefined,
  );
  expect(await terminal.run("schedule", "show", "digest")).toBe(0);
  expect(terminal.stdout.text).toContain(
    [
      `Waits for    ${messageId}, SCHEDULED, of the run 2026-03-26T10:00:00.000Z (2 h ago), 2 failures, due 2026-03-26T12:05:00.000Z (in 5 min)`,
      "Waits since  2026-03-26T11:00:00.000Z (1 h ago)",
    ].join("\n"),
  );
  expect(terminal.stdout.text).toMatch(/^State +waiting$/m);
  // What waits is the next to come.
  expect(terminal.stdout.text).toMatch(/^LOCAL .*\n2026-03-26T11:00:00\+00:00 /m);
});

test("a message that cannot be read is named all the same", async () => {
  const errors = [{ code: "E-DI-2002", message: "This key may not." }];
  const terminal = await atSchedule(waiting, ({ path: asked }) =>
    asked.startsWith("/v1/messages/") ? { status: 403, json: { errors } } : undefined,
  );
  expect(await terminal.run("schedule", "show", "digest")).toBe(0);
  expect(terminal.stdout.text).toContain(`Waits for    ${messageId}\n`);
});

test("no more runs are shown than are left", async () => {
  const skips = ["2026-03-27T08:00:00.000Z"];
  const nextRunTime = "2026-03-30T07:00:00.000Z";
  const limited = wireSchedule({ maxRuns: 10, runsLeft: 2, skips, nextRunTime });
  const terminal = await atSchedule(limited);
  expect(await terminal.run("schedule", "show", "digest")).toBe(0);
  expect(terminal.stdout.text).toMatch(/^Runs left +2$/m);
  const [, runs = ""] = terminal.stdout.text.split("\n\n");
  expect(runs.match(/^\d{4}-\d\d-\d\d/gm)).toEqual(["2026-03-27", "2026-03-30", "2026-03-31"]);
});

test("a run that is made ahead is shown, and is not one of those that are left", async () => {
  const nextRunTime = "2026-03-30T07:00:00.000Z";
  const terminal = await atSchedule(wireSchedule({ maxRuns: 2, runsLeft: 1, nextRunTime }));
  expect(await terminal.run("schedule", "show", "digest")).toBe(0);
  const [, runs = ""] = terminal.stdout.text.split("\n\n");
  expect(runs.match(/^\d{4}-\d\d-\d\d/gm)).toEqual(["2026-03-27", "2026-03-30"]);
});

const inTokyo = { timeZone: "Asia/Tokyo" };

test.each<[string[], object, string]>([
  [
    ["skip", "digest", "tomorrow 9:00"],
    { time: "2026-03-27T08:00:00.000Z" },
    "Skipped: there will be no run at",
  ],
  [["unskip", "digest", "tomorrow 9:00"], { time: "2026-03-27T08:00:00.000Z" }, "A run again at"],
  [
    ["pause", "digest", "--until", "tomorrow 9:00"],
    { until: "2026-03-27T08:00:00.000Z" },
    "Paused until",
  ],
])("schedule %j reads the time on the schedule's clocks, and says so", async (argv, body, said) => {
  const terminal = await atSchedule(wireSchedule(), () => undefined, inTokyo);
  expect(await terminal.run("schedule", ...argv)).toBe(0);
  expect(terminal.asked.find(({ method }) => method === "POST")!.body).toEqual(body);
  expect(terminal.stderr.text).toBe(
    `${said} 2026-03-27T09:00:00+01:00 (Europe/Berlin, in 20 h).\n`,
  );
});

test("--zone reads the time on other clocks", async () => {
  const terminal = await atSchedule(wireSchedule(), () => undefined, inTokyo);
  expect(
    await terminal.run("schedule", "skip", "digest", "tomorrow 9:00", "--zone", "America/New_York"),
  ).toBe(0);
  expect(terminal.asked[0]!.body).toEqual({ time: "2026-03-27T13:00:00.000Z" });
  expect(terminal.stderr.text).toBe(
    "Skipped: there will be no run at 2026-03-27T09:00:00-04:00 (America/New_York, in 1 d 1 h).\n",
  );
});

test("a zone that is not known here needs an offset or --zone", async () => {
  const terminal = await atSchedule(wireSchedule({ timeZone: "Moon/Crater" }));
  expect(await terminal.run("schedule", "skip", "digest", "tomorrow 9:00")).toBe(2);
  expect(terminal.stderr.text).toBe(
    "The zone of digest, Moon/Crater, is not known here. Write the time with an offset, such as 2027-01-01T09:00:00Z, or give --zone.\n",
  );
});

const readAs = "The time was read as 2026-03-27T09:30:00+01:00 (Europe/Berlin, in 20 h 30 min).\n";
const nextRuns =
  "Its next runs: 2026-03-27T09:00:00+01:00 (Europe/Berlin, in 20 h), 2026-03-31T09:00:00+02:00 (Europe/Berlin, in 4 d 19 h), 2026-04-01T09:00:00+02:00 (Europe/Berlin, in 5 d 19 h).";
const skipped = "Skipped: 2026-03-30T09:00:00+02:00 (Europe/Berlin, in 3 d 19 h).";

test.each([
  ["skip", "2026-03-27T08:30:00Z", nextRuns],
  ["unskip", "2026-03-27T08:30:00Z", skipped],
  ["skip", "tomorrow 9:30", readAs + nextRuns],
  ["unskip", "tomorrow 9:30", readAs + skipped],
])("%s of %j, which is no run, says what could be meant", async (verb, time, advice) => {
  const message = "There is no run. Give nextRunTime.";
  const errors = [{ code: "E-DI-6004", message, field: "time" }];
  const schedule = wireSchedule({ skips: ["2026-03-30T07:00:00.000Z"] });
  const terminal = await atSchedule(
    schedule,
    ({ path: asked }) => (asked.endsWith("skip") ? { status: 409, json: { errors } } : undefined),
    inTokyo,
  );
  expect(await terminal.run("schedule", verb, "digest", time)).toBe(1);
  const kind = verb === "skip" ? "run" : "skipped run";
  expect(terminal.stderr.text).toBe(
    `E-DI-6004: digest has no ${kind} to come at this time.\n${advice}\n`,
  );
});

test.each([
  ["pause", "digest", "--until", "tomorrow 9:00"],
  ["skip", "digest", "tomorrow 9:00"],
])("schedule %s says nothing of a success that did not come", async (...argv) => {
  const errors = [{ code: "E-DI-6005", message: "There are too many." }];
  const terminal = await atSchedule(wireSchedule(), ({ method }) =>
    method === "POST" ? { status: 409, json: { errors } } : undefined,
  );
  expect(await terminal.run("schedule", ...argv)).toBe(1);
  expect(terminal.stderr.text).toBe("E-DI-6005: There are too many.\n");
});

test("a refused pause names the options", async () => {
  const message = "until must be later than now. Leave it out to pause until a resume.";
  const errors = [{ code: "E-DI-1001", message, field: "until" }];
  const terminal = await atSchedule(wireSchedule(), ({ method }) =>
    method === "POST" ? { status: 400, json: { errors } } : undefined,
  );
  expect(await terminal.run("schedule", "pause", "digest", "--until", "yesterday 9:00")).toBe(1);
  expect(terminal.stderr.text).toBe(
    "E-DI-1001: --until must be later than now. Leave it out to pause until a resume.\n",
  );
});

test("trigger shows the run and its message", async () => {
  const run = wireRun({ trigger: "MANUAL", messageState: "SCHEDULED" });
  const terminal = await connected(() => ({ json: run }), { clock });
  expect(await terminal.run("schedule", "trigger", "digest")).toBe(0);
  expect(terminal.stdout.text).toMatch(
    new RegExp(`^Schedule +digest\nRun time +.*\nOutcome +SCHEDULED\nMessage +${messageId}\n$`),
  );
});

test.each([
  [typing("y\n"), 0, "DELETE", "Removed digest\n"],
  [typing("n\n"), 1, "GET", ""],
])("remove asks first", async (stdin, exitCode, lastMethod, said) => {
  const terminal = await atSchedule(wireSchedule(), () => undefined, { stdin });
  expect(await terminal.run("schedule", "remove", "digest")).toBe(exitCode);
  expect(terminal.stderr.text).toMatch(/^Remove digest, and the record of its runs\? .* \[y\/N\] /);
  expect(terminal.asked.at(-1)!.method).toBe(lastMethod);
  expect(terminal.stdout.text).toBe(said);
});

test("remove without a terminal needs --yes", async () => {
  const terminal = await atSchedule(wireSchedule());
  expect(await terminal.run("schedule", "remove", "digest")).toBe(2);
  expect(terminal.stderr.text).toContain("There is no terminal to ask");
  expect(terminal.asked.map(({ method }) => method)).toEqual(["GET"]);
});

test.each([
  ["show", []],
  ["runs", []],
  ["pause", []],
  ["resume", []],
  ["skip", ["2026-03-27T08:00:00Z"]],
  ["unskip", ["2026-03-27T08:00:00Z"]],
  ["trigger", []],
  ["remove", []],
  ["update", ["--overlap", "skip"]],
])("%s of a schedule that does not exist ends with 4 and suggests another", async (verb, argv) => {
  const errors = [{ code: "E-DI-6001", message: "No such schedule." }];
  const terminal = await connected(({ path: asked }) =>
    asked.startsWith("/v1/schedules?")
      ? { json: pageOf(wireSchedule({ scheduleId: "digest" })) }
      : { status: 404, json: { errors } },
  );
  expect(await terminal.run("schedule", verb, "digset", ...argv)).toBe(4);
  expect(terminal.stderr.text).toBe("There is no schedule digset. Did you mean digest?\n");
});

test.each<[readonly string[], string]>([
  [["pause", "digest", "--until", "soon"], "--until is not a time"],
  [["pause", "digest", "--zone", "UTC"], "--zone says how to read --until"],
  [["skip", "digest", "friday"], "The time has no time of day"],
  [["list", "--paused", "maybe"], "Allowed choices are yes, no"],
])("schedule %j is wrong usage", async (argv, message) => {
  const terminal = await atSchedule(wireSchedule());
  expect(await terminal.run("schedule", ...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(message);
  expect(terminal.asked).toEqual([]);
});

test("find looks for what a schedule has made", async () => {
  const terminal = await connected(({ path: asked }) =>
    asked.startsWith("/v1/messages")
      ? { json: { ...pageOf(), searchedUntil: null } }
      : { json: wireSchedule() },
  );
  expect(await terminal.run("find", "--schedule", "digest")).toBe(0);
  expect(terminal.asked[0]!.path).toBe("/v1/messages?scheduleId=digest");
  expect(terminal.stderr.text).toBe("No message matches.\n");
});
