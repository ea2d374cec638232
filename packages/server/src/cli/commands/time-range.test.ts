import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { wireMessage } from "../testing/samples.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const clock = { now: () => now, monotonic: () => 0 };
const page = { items: [wireMessage()], nextPageToken: null };

async function asked(...argv: readonly string[]) {
  const terminal = await connected(() => ({ json: page }), { clock });
  const exitCode = await terminal.run(...argv);
  const query = new URLSearchParams(terminal.asked[0]?.path.split("?")[1]);
  const range = { min: query.get("minTime"), max: query.get("maxTime") };
  return { exitCode, ...range, stderr: terminal.stderr.text };
}

test.each([
  ["list", "1h", "2026-11-14T10:30:00.000Z"],
  ["list", "+1d", "2026-11-15T09:30:00.000Z"],
  ["list", "-1h", "2026-11-14T08:30:00.000Z"],
  ["list", "in 90m", "2026-11-14T11:00:00.000Z"],
  ["list", "now", "2026-11-14T09:30:00.000Z"],
  ["dead-letters", "1h", "2026-11-14T08:30:00.000Z"],
  ["dead-letters", "1d ago", "2026-11-13T09:30:00.000Z"],
  ["dead-letters", "1h30m AGO", "2026-11-14T08:00:00.000Z"],
  ["dead-letters", "yesterday 9:00", "2026-11-13T09:00:00.000Z"],
  ["dead-letters", "17:30", "2026-11-13T17:30:00.000Z"],
  ["list", "17:30", "2026-11-14T17:30:00.000Z"],
  ["list", "2027-01-01T09:00:00+01:00", "2027-01-01T09:00:00+01:00"],
])("%s --min-time %s is %s", async (command, text, time) => {
  expect(await asked(command, "billing", "--min-time", text)).toMatchObject({
    exitCode: 0,
    min: time,
    max: null,
  });
});

test("audit looks back, and shows both ends of the range", async () => {
  const terminal = await connected(() => ({ json: { items: [] } }), { clock });
  await terminal.run("audit", "--min-time", "7d", "--max-time", "1d");
  expect(decodeURIComponent(terminal.asked[0]!.path)).toBe(
    "/v1/audit-log?minTime=2026-11-07T09:30:00.000Z&maxTime=2026-11-13T09:30:00.000Z",
  );
  expect(terminal.stderr.text).toContain(
    "From 2026-11-07T09:30:00Z (UTC, 7 d ago) to 2026-11-13T09:30:00Z (UTC, 1 d ago).\n",
  );
});

test("a relative time is shown in full; a full time is not repeated, and --json shows neither", async () => {
  expect((await asked("list", "b", "--max-time", "1h")).stderr).toBe(
    "To 2026-11-14T10:30:00Z (UTC, in 1 h).\n",
  );
  expect((await asked("list", "b", "--max-time", "2027-01-01T00:00:00Z")).stderr).toBe("");
  expect((await asked("list", "b", "--max-time", "1h", "--json")).stderr).toBe("");
});

test.each([
  [
    "soon",
    /--min-time is not a time: "soon"; write it like 2027-01-01T09:00:00Z, "2027-01-01 9:00", "tomorrow 9:00"/,
  ],
  ["1 fortnight", /--min-time is not a time/],
  ["15", /--min-time is only a number: "15"; .* 9:00 .* 9h/],
  ["2027-01-01", /--min-time has no time of day: "2027-01-01"; write it like/],
  ["9999999d", /--min-time leads beyond the years 0001 to 9999/],
  ["", /--min-time is not a time/],
])("%j is not a time", async (text, message) => {
  const { exitCode, stderr } = await asked("list", "billing", "--min-time", text);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
});

test("a zone is refused without a time, and shows the times that are given", async () => {
  const alone = await asked("list", "b", "--zone", "UTC");
  expect(alone.exitCode).toBe(2);
  expect(alone.stderr).toMatch(/^--zone says how to read --min-time and --max-time/);
  const argv = ["list", "b", "--max-time", "2027-01-01T00:00:00Z", "--zone", "Asia/Tokyo"];
  expect((await asked(...argv)).stderr).toBe(
    "To 2027-01-01T09:00:00+09:00 (Asia/Tokyo, in 47 d 15 h).\n",
  );
});

test("the command refuses a range that ends before it begins, and shows both ends in full", async () => {
  const { exitCode, stderr } = await asked("list", "b", "--min-time", "2h", "--max-time", "1h");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--min-time 2026-11-14T11:30:00.000Z is after --max-time");
});
