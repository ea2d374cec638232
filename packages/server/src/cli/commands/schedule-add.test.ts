import { expect, test } from "vitest";
import { standardInput } from "../testing/command-line.ts";
import { messageId, wireTarget } from "../testing/samples.ts";
import { atSchedule } from "../testing/schedule-service.ts";
import { wireRun, wireSchedule } from "../testing/wire-schedule.ts";

const daily = ["--target", "mail", "--cron", "0 9 * * *"];

async function added(...argv: readonly string[]) {
  const terminal = await atSchedule(wireSchedule(), () => undefined, {
    stdin: standardInput("from stdin"),
  });
  const exitCode = await terminal.run("schedule", "add", "digest", ...argv, "--json");
  const [request] = terminal.asked;
  return { exitCode, request, body: request?.body, stderr: terminal.stderr.text };
}

test("add asks for the schedule and prints it as JSON", async () => {
  const { exitCode, request } = await added(...daily, "--zone", "Europe/Berlin");
  expect(exitCode).toBe(0);
  expect(`${request!.method} ${request!.path}`).toBe("POST /v1/schedules");
  expect(request!.body).toEqual({
    scheduleId: "digest",
    targetId: "mail",
    payload: "",
    cron: "0 9 * * *",
    timeZone: "Europe/Berlin",
  });
});

test("a name with other characters is wrong usage", async () => {
  const terminal = await atSchedule(wireSchedule());
  expect(await terminal.run("schedule", "add", "my digest", ...daily)).toBe(2);
  expect(terminal.stderr.text).toBe(
    'A schedule cannot be named "my digest". Write 1 to 64 of the characters A-Z a-z 0-9 _ -\n',
  );
  expect(terminal.asked).toEqual([]);
});

const plain = { scheduleId: "digest", targetId: "mail", payload: "", timeZone: "UTC" };
const target = ["--target", "mail"];

test.each<[readonly string[], Record<string, unknown>]>([
  [[...daily, "--cron", "0 11 * * SAT"], { cron: ["0 9 * * *", "0 11 * * SAT"] }],
  [[...target, "--every", "15m"], { everyMs: 900_000 }],
  [[...target, "--every", "2 hours"], { everyMs: 7_200_000 }],
  [
    [...target, "--at", "2027-01-01T09:00", "--at", "2027-07-01T09:00"],
    { at: ["2027-01-01T09:00", "2027-07-01T09:00"] },
  ],
  [
    [...target, "--every", "1d", "--except", "2026-12-24", "--except", "2026-12-31T12:00"],
    { everyMs: 86_400_000, except: ["2026-12-24", "2026-12-31T12:00"] },
  ],
  [
    [...daily, "--start", "tomorrow 9:00", "--end", "2027-01-01T00:00:00Z"],
    {
      cron: "0 9 * * *",
      startTime: "2026-03-27T09:00:00.000Z",
      endTime: "2027-01-01T00:00:00Z",
    },
  ],
  [
    [...daily, "--zone", "America/New_York", "--start", "tomorrow 9:00"],
    { cron: "0 9 * * *", timeZone: "America/New_York", startTime: "2026-03-27T13:00:00.000Z" },
  ],
  [[...daily, "--max-runs", "10"], { cron: "0 9 * * *", maxRuns: 10 }],
  [[...daily, "--flex", "10m"], { cron: "0 9 * * *", flexWindowMs: 600_000 }],
  [[...daily, "--overlap", "queue"], { cron: "0 9 * * *", overlap: "queue" }],
  [[...daily, "--catch-up", "none"], { cron: "0 9 * * *", catchUp: { mode: "none" } }],
  [
    [...daily, "--catch-up", "all:1d"],
    { cron: "0 9 * * *", catchUp: { mode: "all", windowMs: 86_400_000 } },
  ],
  [[...daily, "--pause-after-dead-letters", "3"], { cron: "0 9 * * *", pauseAfterDeadLetters: 3 }],
  [["hello", ...daily], { cron: "0 9 * * *", payload: "hello" }],
  [["-", ...daily], { cron: "0 9 * * *", payload: "from stdin" }],
  [
    [
      ...daily,
      ...["--label", "kind=digest", "--header", "X-A: 1", "--content-type", "text/html"],
      ...["--timeout", "5s", "--max-attempts", "3", "--not-after", "2h"],
    ],
    {
      cron: "0 9 * * *",
      message: {
        labels: { kind: "digest" },
        headers: { "X-A": "1" },
        contentType: "text/html",
        timeoutMs: 5_000,
        retryPolicy: { maxAttempts: 3 },
        notAfterMs: 7_200_000,
      },
    },
  ],
  [
    [
      ...target,
      "--at",
      "2027-07-01 18:00",
      "--at",
      "2027-07-02 9:00",
      "--except",
      "2027-07-02 9:00",
    ],
    { at: ["2027-07-01T18:00", "2027-07-02T09:00"], except: ["2027-07-02T09:00"] },
  ],
])("add %j sends %j", async (argv, fields) => {
  const { exitCode, body, stderr } = await added(...argv);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(body).toEqual({ ...plain, ...fields });
});

test.each<[readonly string[], string]>([
  [["--cron", "@daily"], "required option '--target <targetId>'"],
  [target, "say when it is due, with --cron, --every or --at"],
  [[...daily, "--every", "1h"], "cannot be used with option"],
  [[...target, "--every", "10ms"], "--every must be 1s to 366d"],
  [[...target, "--at", "tomorrow 9:00"], '--at "tomorrow 9:00" cannot be read'],
  [[...daily, "--except", "christmas"], '--except "christmas" cannot be read'],
  [[...daily, "--zone", "Mars/Olympus"], "--zone is not a time zone"],
  [[...daily, "--zone", "+01:00"], "--zone must not be an offset"],
  [[...daily, "--start", "soon"], "--start is not a time"],
  [[...daily, "--start", "2d", "--end", "1d"], "--end is before --start"],
  [[...daily, "--overlap", "maybe"], "Allowed choices are allow, skip, replace, queue"],
  [[...daily, "--catch-up", "some"], "--catch-up must be last, all or none"],
  [[...daily, "--catch-up", "all:soon"], "--catch-up"],
  [[...daily, "--max-runs", "0"], "--max-runs must be a whole number from 1"],
  [[...daily, "--pause-after-dead-letters", "101"], "from 1 to 100"],
  [[...daily, "--not-after", "18:00"], "--not-after"],
  [["-", ...daily, "--header-file", "-"], "stdin is either the payload or the headers"],
  [["hello", ...daily, "--file", "x"], "as an argument or with --file, not both"],
  [[...daily, "--tz", "Europe/Berlin"], "(Did you mean --zone?)"],
])("add %j is wrong usage, and nothing is sent", async (argv, message) => {
  const terminal = await atSchedule(wireSchedule());
  expect(await terminal.run("schedule", "add", "digest", ...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(message);
  expect(terminal.asked).toEqual([]);
});

test.each([
  ["0 22-2 * * *", "  ^", "a range goes up: write 22-23,0-2"],
  ["5/10 * * * *", "^", "write 5-59/10"],
  ["0 9 * * MOO", "        ^", "MON"],
])("the wrong expression %j is shown with a mark under the character", async (cron, mark, hint) => {
  const terminal = await atSchedule(wireSchedule());
  expect(await terminal.run("schedule", "add", "digest", ...target, "--cron", cron)).toBe(2);
  expect(terminal.stderr.text).toContain(`  ${cron}\n  ${mark}\n`);
  expect(terminal.stderr.text).toContain(hint);
});

test("add shows the next five runs in the zone and in UTC, and when clocks change", async () => {
  const terminal = await atSchedule(wireSchedule());
  const cron = ["--cron", "0 9 * * MON-FRI", "--zone", "Europe/Berlin"];
  expect(await terminal.run("schedule", "add", "digest", ...target, ...cron)).toBe(0);
  const [card = "", runs = ""] = terminal.stdout.text.split("\n\n");
  expect(card).toMatch(/^Schedule +digest\nState +active\nNext run +2026-03-27T08:00:00\.000Z/);
  expect(
    runs
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["LOCAL (Europe/Berlin)", "UTC", "NOTE"],
    ["2026-03-27T09:00:00+01:00", "2026-03-27T08:00:00.000Z (in 20 h)"],
    [
      "2026-03-30T09:00:00+02:00",
      "2026-03-30T07:00:00.000Z (in 3 d 19 h)",
      "the first after clocks change",
    ],
    ["2026-03-31T09:00:00+02:00", "2026-03-31T07:00:00.000Z (in 4 d 19 h)"],
    ["2026-04-01T09:00:00+02:00", "2026-04-01T07:00:00.000Z (in 5 d 19 h)"],
    ["2026-04-02T09:00:00+02:00", "2026-04-02T07:00:00.000Z (in 6 d 19 h)"],
    [
      "Clocks in Europe/Berlin change next from 2026-03-29 02:00:00 to 2026-03-29 03:00:00 (+01:00 to +02:00).",
    ],
  ]);
});

test("how a bound was read is on stderr, and with --json what was moved to the next day", async () => {
  const said = async (...argv: readonly string[]) => {
    const terminal = await atSchedule(wireSchedule());
    expect(await terminal.run("schedule", "add", "digest", ...daily, ...argv)).toBe(0);
    return terminal.stderr.text;
  };
  const zone = ["--zone", "Europe/Berlin"];
  expect(await said("--start", "tomorrow 9:00", ...zone)).toBe(
    "Nothing before 2026-03-27T09:00:00+01:00 (Europe/Berlin, in 20 h).\n",
  );
  expect(await said("--end", "2026-03-29 2:30", ...zone)).toMatch(
    /^Nothing after .*\nIn Europe\/Berlin there is no 2026-03-29 02:30:00: /,
  );
  expect(await said("--start", "9:00", "--json", ...zone)).toMatch(/^Nothing before 2026-03-27T09/);
  expect(await said("--start", "2026-04-01T00:00:00Z", ...zone)).toBe("");
});

test("an interval without a start counts from the creation", async () => {
  const every = wireSchedule({ cron: null, everyMs: 86_400_000, timeZone: "UTC" });
  const terminal = await atSchedule({ ...every, creationTime: "2026-03-26T11:59:00.000Z" });
  expect(await terminal.run("schedule", "add", "digest", ...target, "--every", "1d")).toBe(0);
  expect(terminal.stdout.text).toContain("\n2026-03-27T11:59:00+00:00  ");
});

test("no more runs are shown than it may have", async () => {
  const terminal = await atSchedule(wireSchedule({ maxRuns: 2, runsLeft: 2 }));
  expect(await terminal.run("schedule", "add", "digest", ...daily, "--max-runs", "2")).toBe(0);
  expect(terminal.stdout.text.match(/T09:00:00\+/g)).toHaveLength(2);
});

test("a schedule that was made is shown, also if its runs cannot be", async () => {
  const errors = [{ code: "E-DI-9001", message: "Not now." }];
  const terminal = await atSchedule(wireSchedule(), ({ path }) =>
    path.endsWith("/preview") ? { status: 500, json: { errors } } : undefined,
  );
  expect(await terminal.run("schedule", "add", "digest", ...daily)).toBe(0);
  expect(terminal.stdout.text).toContain("digest");
  expect(terminal.stderr.text).toBe("The next runs cannot be shown: E-DI-9001: Not now.\n");
});

test("a name that is taken comes with what to do", async () => {
  const errors = [{ code: "E-DI-6002", message: "It exists already. Replace it with PUT." }];
  const terminal = await atSchedule(wireSchedule(), () => ({ status: 409, json: { errors } }));
  expect(await terminal.run("schedule", "add", "digest", ...daily)).toBe(1);
  expect(terminal.stderr.text).toMatch(/^E-DI-6002: .*\n.*`postdate schedule update digest` /);
  expect(terminal.stderr.text).not.toContain("PUT");
});

test("what the service refuses is said of options", async () => {
  const errors = [
    { code: "E-DI-1001", message: "flexWindowMs must be at most 86400000." },
    { code: "E-DI-6003", message: "at has no occurrence: endTime is past." },
  ];
  const terminal = await atSchedule(wireSchedule(), () => ({ status: 400, json: { errors } }));
  expect(await terminal.run("schedule", "add", "digest", ...daily, "--flex", "2d")).not.toBe(0);
  expect(terminal.stderr.text).toBe(
    "E-DI-1001: --flex must be at most 86400000.\nE-DI-6003: --at has no occurrence: --end is past.\n",
  );
});

test("a target that does not exist is suggested", async () => {
  const errors = [{ code: "E-DI-3001", message: "No such target." }];
  const terminal = await atSchedule(wireSchedule(), ({ path }) =>
    path === "/v1/schedules"
      ? { status: 400, json: { errors } }
      : { json: { items: [wireTarget({ targetId: "mails" })], nextPageToken: null } },
  );
  expect(await terminal.run("schedule", "add", "digest", ...daily)).toBe(4);
  expect(terminal.stderr.text).toBe("There is no target mail. Did you mean mails?\n");
});

test("a schedule shows all that is set, and how the last run went", async () => {
  const terminal = await atSchedule(
    wireSchedule({
      lastRun: wireRun(),
      startTime: "2026-01-01T00:00:00.000Z",
      endTime: "2027-01-01T00:00:00.000Z",
      maxRuns: 100,
      except: ["2026-12-24"],
      flexWindowMs: 600_000,
      overlap: "skip",
      catchUp: { mode: "all", windowMs: 86_400_000 },
      pauseAfterDeadLetters: 3,
      payload: "x".repeat(100),
      message: { labels: { kind: "digest" }, notAfterMs: 7_200_000, headers: { "x-a": "set" } },
      skips: ["2026-03-30T07:00:00.000Z"],
    }),
  );
  expect(await terminal.run("schedule", "show", "digest")).toBe(0);
  const [card = "", runs = ""] = terminal.stdout.text.split("\n\n");
  expect(card.split("\n").map((line) => line.replace(/ {2,}/, ": "))).toEqual([
    "Schedule: digest",
    "State: active",
    "Next run: 2026-03-27T08:00:00.000Z (in 20 h)",
    `Last run: DELIVERED, 2026-03-26T08:00:00.000Z (4 h ago), ${messageId}`,
    "Target: mail",
    "When: 0 9 * * MON-FRI",
    "Zone: Europe/Berlin",
    "Starts: 2026-01-01T00:00:00.000Z",
    "Ends: 2027-01-01T00:00:00.000Z",
    "At most: 100 runs",
    "Except: 2026-12-24",
    "Spread over: 10 min",
    "On overlap: skip the run",
    "Missed runs: make all of them that are at most 1 d old",
    "Pauses: after 3 dead letters in a row",
    `Payload: ${"x".repeat(59)}… (100 characters)`,
    "Not after: 2 h after it is due",
    "Labels: kind=digest",
    "Headers: x-a",
    "Skipped: 2026-03-30T07:00:00.000Z",
    "Created: 2026-03-26T12:00:00.000Z (now)",
    "Changed: 2026-03-26T12:00:00.000Z (now)",
  ]);
  expect(runs).toMatch(/^2026-03-30T09:00:00\+02:00 .* skipped; the first after clocks change$/m);
  // The one that is skipped does not count.
  expect(runs.trimEnd().split("\n")).toHaveLength(1 + 6 + 1);
});
