import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const surroundings = {
  clock: { now: () => now, monotonic: () => 0 },
  timeZone: "Europe/Berlin",
  // A pause ends at once.
  timers: { after: (_: number, callback: () => void) => (callback(), { cancel() {} }) },
};

const range = {
  targetId: null,
  bucket: "hour",
  minTime: "2026-11-14T09:00:00.000Z",
  maxTime: "2026-11-14T17:00:00.000Z",
};
const wireForecast = (
  messages: readonly number[],
  change: object = {},
  runs: readonly number[] = [],
) => ({
  ...range,
  ...{
    exact: true,
    runsExact: true,
    counting: false,
    asOf: "2026-11-14T09:30:00.000Z",
    overdue: 0,
  },
  items: messages.map((count, at) => ({
    time: new Date(Date.UTC(2026, 10, 14, 9 + at)).toISOString(),
    messages: count,
    runs: runs[at] ?? 0,
  })),
  ...change,
});
const histogram = { counts: [], p50Ms: 1.5, p99Ms: 120 };
const counts = {
  ...{ attempts: 1_004, outcomes: { DELIVERED: 1_000, TIMEOUT: 4, DNS_FAILED: 0 } },
  ...{ durations: histogram, lateness: histogram },
};

test.each([
  [["forecast"], "/v1/forecast"],
  [
    ["forecast", "--target", "billing", "--bucket", "day"],
    "/v1/forecast?targetId=billing&bucket=day",
  ],
  [["forecast", "--max-time", "1h"], "/v1/forecast?maxTime=2026-11-14T10:30:00.000Z"],
  [["forecast", "--zone", "Asia/Tokyo"], "/v1/forecast"],
  [["activity", "--min-time", "2d"], "/v1/stats/activity?minTime=2026-11-12T09:30:00.000Z"],
  [["stats"], "/v1/stats"],
  [["target", "stats", "--limit", "5"], "/v1/stats/targets?limit=5"],
  [["target", "stats", "billing"], "/v1/stats/targets?targetId=billing"],
  [["dead-letter-groups", "--target", "billing"], "/v1/dead-letters/groups?targetId=billing"],
])("%j asks for what is named", async (argv, path) => {
  const terminal = await connected(() => ({ json: { items: [] } }), surroundings);
  expect(await terminal.run(...argv, "--json")).toBe(0);
  const asked = new URL(terminal.asked[0]!.path, "http://x");
  const expected = new URL(path, "http://x");
  expect(asked.pathname).toBe(expected.pathname);
  expect(Object.fromEntries(asked.searchParams)).toEqual(Object.fromEntries(expected.searchParams));
  expect(JSON.parse(terminal.stdout.text)).toEqual({ items: [] });
  expect(terminal.stderr.text).toBe("");
});

test("stats says what is counted, and what is only a lower bound", async () => {
  const count = (value: number, exact = true) => ({ value, exact, asOf: range.minTime });
  const json = {
    ...{ pending: count(100_000, false), overdue: count(0), deadLetters: count(12) },
    ...{ dueInMinute: count(3), dueInHour: count(1_500), dueInDay: count(40_000) },
  };
  const terminal = await connected(() => ({ json }), surroundings);
  expect(await terminal.run("stats")).toBe(0);
  expect(terminal.stdout.text.trimEnd().split("\n")).toEqual([
    "Pending          100,000 or more",
    "Overdue          0",
    "Due in a minute  3",
    "Due in an hour   1,500",
    "Due in a day     40,000",
    "Dead letters     12",
  ]);
});

test("forecast draws bars in the zone of this machine, and leaves long gaps out", async () => {
  const terminal = await connected(
    () => ({ json: wireForecast([8, 0, 16, 0, 0, 0, 0, 1], { overdue: 2 }) }),
    surroundings,
  );
  expect(await terminal.run("forecast")).toBe(0);
  expect(terminal.stdout.text.trimEnd().split("\n")).toEqual([
    "25 messages due (by hour, Europe/Berlin)",
    "Overdue: 2",
    `11-14 10:00   8  ${"█".repeat(25)}`,
    "11-14 11:00   0",
    `11-14 12:00  16  ${"█".repeat(50)}`,
    "          ⋮",
    `11-14 17:00   1  ${"█".repeat(3)}▏`,
  ]);
});

test("forecast tells runs of schedules from messages, also without colours", async () => {
  const json = wireForecast([8, 0, 0], {}, [8, 40, 1]);
  const terminal = await connected(() => ({ json }), surroundings);
  expect(await terminal.run("forecast")).toBe(0);
  expect(terminal.stdout.text.trimEnd().split("\n")).toEqual([
    "8 messages due, and 49 runs of schedules (by hour, Europe/Berlin)",
    "█ scheduled already  ░ to be made by schedules",
    `11-14 10:00  8   +8  ${"█".repeat(10)}${"░".repeat(10)}`,
    `11-14 11:00  0  +40  ${"░".repeat(50)}`,
    `11-14 12:00  0   +1  ░`,
  ]);
});

test.each([
  [[3], "At least 1 message due, and at least 3 runs of schedules "],
  [[0], "Not all runs of schedules could be counted."],
])("forecast says what it could not count, with runs %j", async (runs, said) => {
  const json = wireForecast([1], { exact: false, runsExact: false }, runs);
  const terminal = await connected(() => ({ json }), surroundings);
  expect(await terminal.run("forecast")).toBe(0);
  expect(terminal.stdout.text).toContain(said);
});

test("a service that knows no runs is shown as before", async () => {
  const { runsExact: _, items, ...older } = wireForecast([2]);
  const json = { ...older, items: items.map(({ time, messages }) => ({ time, messages })) };
  const terminal = await connected(() => ({ json }), surroundings);
  expect(await terminal.run("forecast")).toBe(0);
  expect(terminal.stdout.text).toBe(
    `2 messages due (by hour, Europe/Berlin)\n11-14 10:00  2  ${"█".repeat(50)}\n`,
  );
});

test("days are shown as days of UTC", async () => {
  const terminal = await connected(
    () => ({ json: wireForecast([1], { bucket: "day", targetId: "billing" }) }),
    surroundings,
  );
  expect(await terminal.run("forecast", "--target", "billing")).toBe(0);
  expect(terminal.stdout.text).toMatch(
    /^1 message due for billing \(by day, UTC\)\n2026-11-14 {2}1/,
  );
});

test("forecast waits until everything is counted", async () => {
  let asked = 0;
  const terminal = await connected(
    () => ({
      json:
        ++asked < 4 ? wireForecast([asked], { exact: false, counting: true }) : wireForecast([9]),
    }),
    surroundings,
  );
  expect(await terminal.run("forecast")).toBe(0);
  expect(terminal.asked).toHaveLength(4);
  expect(terminal.stdout.text).toContain("9 messages due");
  expect(terminal.stderr.text).toContain("Counting");
});

test("what was not counted to the end is said", async () => {
  const terminal = await connected(
    () => ({ json: wireForecast([7], { exact: false }) }),
    surroundings,
  );
  expect(await terminal.run("forecast")).toBe(0);
  expect(terminal.stdout.text).toContain("At least 7 messages due");
});

test("activity draws deliveries and failures, and sums up", async () => {
  const json = {
    ...range,
    ...{ boundsMs: [], total: counts, items: [{ time: range.minTime, ...counts }] },
  };
  const terminal = await connected(() => ({ json }), surroundings);
  expect(await terminal.run("activity")).toBe(0);
  expect(terminal.stdout.text.trimEnd().split("\n")).toEqual([
    "1,004 attempts (by hour, Europe/Berlin)",
    expect.stringMatching(/^11-14 10:00 {2}1,004 {2}p99 late 120 ms {2}█{51}$/),
    "Outcomes  DELIVERED 1,000, TIMEOUT 4",
    "Duration  half within 2 ms, 99 % within 120 ms",
    "Lateness  half within 2 ms, 99 % within 120 ms",
  ]);
});

test("dead-letter-groups shows what went wrong, and a sample", async () => {
  const sample = wireMessage({ state: "DEAD_LETTER", deadLetterReason: "FINAL_ANSWER" });
  const group = {
    ...{ targetId: "billing", deadLetterReason: "FINAL_ANSWER", lastStatusCode: 410, count: 1_200 },
    ...{ firstTime: range.minTime, lastTime: "2026-11-14T09:29:00.000Z", sample },
  };
  const terminal = await connected(
    () => ({ json: { exact: false, asOf: range.minTime, items: [group] } }),
    surroundings,
  );
  expect(await terminal.run("dead-letter-groups")).toBe(0);
  const [, row, more] = terminal.stdout.text.split("\n");
  expect(row!.split(/ {2,}/)).toEqual([
    "billing",
    expect.any(String),
    "410",
    "1,200",
    "2026-11-14T09:29:00.000Z (1 min ago)",
    messageId,
  ]);
  expect(more).toBe("There may be more: only the newest were looked at.");
});

test("a target that does not exist is not there, and similar ones are named", async () => {
  const missing = { code: "E-DI-3004", message: "There is no such target.", field: null };
  const terminal = await connected(
    ({ path }) =>
      path.startsWith("/v1/forecast")
        ? { status: 404, json: { errors: [missing] } }
        : { json: { items: [wireTarget({ targetId: "billing" })], nextPageToken: null } },
    surroundings,
  );
  expect(await terminal.run("forecast", "--target", "biling")).not.toBe(0);
  expect(terminal.stderr.text).toContain("Did you mean billing?");
});

test("target stats shows what is in flight of the limit, what waits and what failed", async () => {
  const asOf = range.minTime;
  const stats = {
    ...{ targetId: "billing", paused: false, inFlight: 3, maxConcurrency: 50 },
    waiting: { value: 100, exact: false, asOf },
    deadLetters: { value: 7, exact: true, asOf },
    lastHour: { attempts: 1_000, failed: 4 },
  };
  const terminal = await connected(
    () => ({ json: { items: [stats], nextPageToken: null } }),
    surroundings,
  );
  expect(await terminal.run("target", "stats")).toBe(0);
  const [titles, row] = terminal.stdout.text.split("\n").map((line) => line.split(/ {2,}/));
  expect(titles).toContain("IN FLIGHT");
  const shown = ["billing", "active", "3 of 50", "100 or more", "7", "4 of 1,000"];
  expect(row).toEqual(shown);
});
