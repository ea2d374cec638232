import { expect, test } from "vitest";
import { openTerminal } from "../testing/command-line.ts";

const now = Date.UTC(2026, 2, 27, 12);
const changes = {
  clock: { now: () => now, monotonic: () => 0 },
  fetch: () => Promise.reject(new Error("this command calls nobody")),
};
const berlin = ["--zone", "Europe/Berlin"];

test("preview shows local times and UTC, what clocks skip, and when they change next", async () => {
  const terminal = openTerminal(changes);
  const code = await terminal.run(
    ...["schedule", "preview", "--cron", "0 2 * * *", ...berlin, "--count", "2"],
  );
  expect(terminal.stderr.text).toBe("");
  expect(code).toBe(0);
  expect(
    terminal.stdout.text
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["LOCAL (Europe/Berlin)", "UTC", "NOTE"],
    ["2026-03-28T02:00:00+01:00", "2026-03-28T01:00:00.000Z (in 13 h)"],
    [
      "2026-03-29T03:00:00+02:00",
      "2026-03-29T01:00:00.000Z (in 1 d 13 h)",
      "gap: clocks skip the time that is named; this is the end of the gap",
    ],
    [
      "Clocks in Europe/Berlin change next from 2026-03-29 02:00:00 to 2026-03-29 03:00:00 (+01:00 to +02:00).",
    ],
  ]);
});

test.each([40, 60, 80])("preview fits a terminal of %d columns", async (columns) => {
  const terminal = openTerminal(changes, columns);
  expect(await terminal.run("schedule", "preview", "--cron", "0 2 * * *", ...berlin)).toBe(0);
  // oxlint-disable-next-line no-control-regex -- a colour begins with it
  const lines = terminal.stdout.text.replaceAll(/\u001b\[\d+m/g, "").split("\n");
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines.join(" ")).toContain("change next from 2026-03-29 02:00:00");
});

test("preview begins where it is told, and names both passes of a repeated hour", async () => {
  const terminal = openTerminal(changes);
  const from = ["--from", "2026-10-25 2:15"];
  const cron = ["--cron", "30 * * * *", "--cron", "0 12 * * *"];
  expect(await terminal.run("schedule", "preview", ...cron, ...berlin, ...from)).toBe(0);
  const lines = terminal.stdout.text.split("\n");
  expect(lines[1]).toMatch(/^2026-10-25T02:30:00\+02:00 .*fold: clocks show this time twice$/);
  expect(lines[2]).toMatch(/^2026-10-25T02:30:00\+01:00 .*fold/);
  expect(lines[6]).toContain("change next from 2026-10-25 03:00:00 to 2026-10-25 02:00:00");
});

test("preview takes intervals, single times, bounds and exceptions, and prints JSON", async () => {
  const terminal = openTerminal(changes);
  const every = ["--every", "12h", "--start", "2026-03-28T00:00:00Z"];
  const bounds = ["--end", "2026-03-30T00:00:00Z", "--except", "2026-03-29"];
  expect(await terminal.run("schedule", "preview", ...every, ...bounds, "--json")).toBe(0);
  const { occurrences } = JSON.parse(terminal.stdout.text) as { occurrences: unknown[] };
  expect(occurrences).toEqual(
    ["2026-03-28T00:00:00", "2026-03-28T12:00:00", "2026-03-30T00:00:00"].map((localTime) => ({
      ...{ time: `${localTime}.000Z`, localTime, offset: "+00:00", mark: null },
    })),
  );
  const single = openTerminal(changes);
  expect(await single.run("schedule", "preview", "--at", "2027-01-01T09:00")).toBe(0);
  expect(single.stdout.text).toContain("2027-01-01T09:00:00+00:00");
  expect(single.stdout.text).toContain("Clocks in UTC do not change within a year.");
});

test("a wrong expression is shown with a mark under the character", async () => {
  const terminal = openTerminal(changes);
  expect(await terminal.run("schedule", "preview", "--cron", "0 22-2 * * *")).toBe(2);
  expect(terminal.stderr.text).toContain("  0 22-2 * * *\n    ^\n");
  expect(terminal.stderr.text).toContain(
    `--cron is wrong at character 3, "22-2": a range goes up: write 22-23,0-2.`,
  );
});

test.each([
  [["--cron", "0 0 30 2 *"], "E-DI-6003"],
  [["--at", "2020-01-01T09:00"], "E-DI-6003: --at has no occurrence: each of its times is past"],
  [
    ["--cron", "@daily", "--end", "2020-01-01T00:00:00Z"],
    "--cron has no occurrence: --end, 2020-01-01T00:00:00.000Z, is past",
  ],
  [["--cron", "@daily", "--zone", "Mars/Olympus"], "--zone is not a time zone"],
  [["--cron", "@daily", "--zone", "BST"], "--zone is an abbreviation"],
  [["--cron", "@daily", "--zone", "+01:00"], "must not be an offset"],
  [["--cron", "@daily", "--count", "0"], "--count must be 1 to 100"],
  [["--every", "10ms"], "--every must be 1s to 366d"],
  [["--every", "1h", "--at", "2027-01-01T09:00"], "cannot be used with option '--at <time>'"],
  [[], "say when it is due, with --cron, --every or --at"],
  [["--cron", "@daily", "--from", "soon"], "--from is not a time"],
  [["--cron", "CRON_TZ=UTC 0 9 * * *"], "the zone does not belong here: name it in --zone"],
  [["--cron", "@every 1h"], "use --every instead of --cron"],
])("preview %j is wrong usage", async (argv, message) => {
  const terminal = openTerminal(changes);
  expect(await terminal.run("schedule", "preview", ...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(message);
  expect(terminal.stdout.text).toBe("");
});
