import { expect, test } from "vitest";
import { standardInput } from "../testing/command-line.ts";
import { wireTarget } from "../testing/samples.ts";
import { atSchedule } from "../testing/schedule-service.ts";
import { wireSchedule } from "../testing/wire-schedule.ts";

const { retryPolicy } = wireTarget();
const own = {
  labels: { kind: "digest" },
  headers: { authorization: "set" },
  retryPolicy,
};

async function updated(...argv: readonly string[]) {
  const terminal = await atSchedule(wireSchedule({ message: own }), () => undefined, {
    stdin: standardInput("from stdin"),
  });
  const exitCode = await terminal.run("schedule", "update", "digest", ...argv, "--json");
  const [read, change] = terminal.asked;
  return { exitCode, read, change, stderr: terminal.stderr.text };
}

test.each<[readonly string[], Record<string, unknown>]>([
  [["--cron", "30 8 * * *"], { cron: "30 8 * * *" }],
  [["--every", "1h"], { everyMs: 3_600_000 }],
  [["--zone", "America/New_York"], { timeZone: "America/New_York" }],
  [["--target", "letters"], { targetId: "letters" }],
  [["--start", "tomorrow 9:00"], { startTime: "2026-03-27T08:00:00.000Z" }],
  [
    ["--start", "tomorrow 9:00", "--zone", "UTC"],
    { startTime: "2026-03-27T09:00:00.000Z", timeZone: "UTC" },
  ],
  [
    ["--start", "none", "--end", "none", "--max-runs", "none", "--flex", "none"],
    { startTime: null, endTime: null, maxRuns: null, flexWindowMs: null },
  ],
  [["--pause-after-dead-letters", "none"], { pauseAfterDeadLetters: null }],
  [["--except", "2026-12-24"], { except: ["2026-12-24"] }],
  [["--no-except"], { except: [] }],
  [["--catch-up", "all"], { catchUp: { mode: "all" } }],
  [["new words"], { payload: "new words" }],
  [["-"], { payload: "from stdin" }],
  [["--label", "kind=news"], { message: { ...own, labels: { kind: "news" } } }],
  [["--header", "X-A: 1"], { message: { ...own, headers: { "X-A": "1" } } }],
  [
    ["--max-attempts", "2"],
    { message: { ...own, retryPolicy: { ...retryPolicy, maxAttempts: 2 } } },
  ],
  [["--not-after", "1h"], { message: { ...own, notAfterMs: 3_600_000 } }],
  [["--plain-messages"], { message: null }],
])("update %j changes only %j", async (argv, fields) => {
  const { exitCode, read, change, stderr } = await updated(...argv);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(`${read!.method} ${read!.path}`).toBe("GET /v1/schedules/digest");
  expect(`${change!.method} ${change!.path}`).toBe("PATCH /v1/schedules/digest");
  expect(change!.body).toEqual(fields);
});

test.each<[readonly string[], string]>([
  [[], "say what to change"],
  [["--cron", "0 22-2 * * *"], "    ^\n"],
  [["--end", "2020-01-01T00:00:00Z", "--start", "now"], "--end is before --start"],
  [["--plain-messages", "--label", "a=b"], "cannot be used with option"],
  [["--max-runs", "few"], "--max-runs must be"],
])("update %j is wrong usage, and nothing is changed", async (argv, message) => {
  const terminal = await atSchedule(wireSchedule());
  expect(await terminal.run("schedule", "update", "digest", ...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(message);
  expect(terminal.asked.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("update shows what is another now, and the next runs", async () => {
  const after = wireSchedule({
    cron: ["0 10 * * *"],
    payload: "new",
    message: own,
    nextRunTime: "2026-03-27T09:00:00.000Z",
  });
  const before = wireSchedule({ message: own, endTime: "2027-01-01T00:00:00.000Z" });
  const terminal = await atSchedule(after, ({ method }) =>
    method === "GET" ? { json: before } : undefined,
  );
  const argv = ["new", "--cron", "0 10 * * *", "--end", "none", "--header", "authorization: x"];
  expect(await terminal.run("schedule", "update", "digest", ...argv)).toBe(0);
  const [changes = "", runs = ""] = terminal.stdout.text.split("\n\n");
  expect(changes.split("\n").map((line) => line.trim().replace(/ {2,}/, ": "))).toEqual([
    "Changed digest:",
    "When: 0 9 * * MON-FRI → 0 10 * * *",
    "Payload: empty → new",
    "Headers: authorization, with the values given",
    "Ends: 2027-01-01T00:00:00.000Z → none",
  ]);
  expect(runs).toContain("2026-03-27T10:00:00+01:00");
});

test("header values that another target must not get are asked for", async () => {
  const message = "The schedule has headers, and their values are not sent to another target.";
  const errors = [{ code: "E-DI-1001", message, field: "message.headers" }];
  const terminal = await atSchedule(wireSchedule({ message: own }), ({ method }) =>
    method === "PATCH" ? { status: 400, json: { errors } } : undefined,
  );
  expect(await terminal.run("schedule", "update", "digest", "--target", "letters")).toBe(1);
  expect(terminal.stderr.text).toMatch(/^E-DI-1001: .*\nGive each --header again .*\n$/);
});
