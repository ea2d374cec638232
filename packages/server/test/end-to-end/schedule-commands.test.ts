import { expect, test } from "vitest";
import { openTerminal } from "../../src/cli/testing/command-line.ts";
import { rootKey } from "../support/server-process.ts";
import { services } from "../support/service.ts";

const startService = services();

test("a schedule of the command line runs, and its runs can be found, skipped and caught up with", async () => {
  const { server, receiver } = await startService();
  const run = async (...argv: readonly string[]) => {
    const terminal = openTerminal({
      env: { POSTDATE_URL: server.url, POSTDATE_KEY: rootKey, TZ: "Europe/Berlin" },
    });
    const code = await terminal.run(...argv);
    return { code, stdout: terminal.stdout.text, stderr: terminal.stderr.text };
  };
  const json = async (...argv: readonly string[]) => {
    const ran = await run(...argv, "--json");
    expect(ran, argv.join(" ")).toMatchObject({ code: 0 });
    return JSON.parse(ran.stdout) as Record<string, unknown>;
  };
  await json("target", "add", receiver.url, "--id", "mail");

  const each = ["--label", "kind=poll", "--header", "X-Secret: s", "--max-attempts", "1"];
  await json("schedule", "add", "poll", "now?", "--target", "mail", "--every", "1s", ...each);
  const receipts = await receiver.received(3);
  for (const { headers, body } of receipts) {
    expect(body.toString()).toBe("now?");
    expect(headers).toMatchObject({ "postdate-schedule": "poll", "x-secret": "s" });
  }
  const runTimes = receipts.map(({ headers }) => Date.parse(String(headers["postdate-run-time"])));
  expect(new Set(runTimes.map((time) => time - (time % 1_000))).size).toBe(3);

  // Other options of its messages change, and the value of the header stays.
  const changed = await json("schedule", "update", "poll", "--label", "kind=new", "--every", "1h");
  expect(changed).toMatchObject({
    everyMs: 3_600_000,
    message: { labels: { kind: "new" }, headers: { "X-Secret": "set" } },
  });
  const { messageId } = await json("schedule", "trigger", "poll");
  const [triggered] = await receiver.received(1, (receipt) => receipt.messageId === messageId);
  expect(triggered!.headers["x-secret"]).toBe("s");
  expect((await json("find", "--label", "kind=new"))["items"]).toMatchObject([
    { messageId, scheduleId: "poll" },
  ]);
  const card = await run("get", String(messageId));
  expect(card.stdout).toMatch(/^Schedule +poll\nRun time +\d{4}-/m);

  const { nextRunTime } = await json("schedule", "show", "poll");
  expect(await json("schedule", "skip", "poll", String(nextRunTime))).toMatchObject({
    skips: [nextRunTime],
  });
  const wrong = await run("schedule", "skip", "poll", "tomorrow 9:00:00.123");
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(
    /^E-DI-6004: .*\nThe time was read as .*\nIts next runs: .* \(UTC, in /,
  );
  expect(await json("schedule", "unskip", "poll", String(nextRunTime))).toMatchObject({
    skips: [],
  });

  expect(await run("schedule", "add", "poll", "--target", "mail", "--every", "1h")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^E-DI-6002: [^]*`postdate schedule update poll` changes it\.\n$/,
    ),
  });
  expect(await run("schedule", "show", "pol")).toMatchObject({
    code: 4,
    stderr: "There is no schedule pol. Did you mean poll?\n",
  });
  expect(await run("schedule", "add", "x", "--target", "mial", "--every", "1h")).toMatchObject({
    code: 4,
    stderr: "There is no target mial. Did you mean mail?\n",
  });
  const never = ["schedule", "add", "x", "--target", "mail", "--cron", "0 0 30 2 *"];
  expect(await run(...never)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("E-DI-6003"),
  });
  const remove = await run("target", "remove", "mail");
  expect(remove).toMatchObject({ code: 1, stderr: expect.stringContaining("E-DI-3003") });
  expect(remove.stderr).toContain("`postdate schedule list --target mail` shows its schedules");
  expect((await run("schedule", "list", "--paused", "yes")).stderr).toBe("No schedule matches.\n");
  expect((await run("schedule", "remove", "poll", "--yes")).stdout).toBe("Removed poll\n");
  expect((await run("audit", "--limit", "1")).stdout).toContain("schedule.removed");
});

/** What only callers of the API know. */
const fieldNames =
  /\b(?:message|catchUp)\.|\b[a-z]\w*Ms\b|\b(?:catchUp|maxRuns|startTime|endTime|timeZone|scheduleId|targetId|labels|headers|contentType|retryPolicy|nextRunTime|idempotencyKey)\b|\/v1\/|\((?!--)[a-z]\w*\)$/m;

test("what the service refuses of a schedule is told in options", async () => {
  const { server, receiver } = await startService();
  const refused = async (argv: readonly string[], said: string | RegExp) => {
    const env = { POSTDATE_URL: server.url, POSTDATE_KEY: rootKey };
    const terminal = openTerminal({ env });
    const code = await terminal.run(...argv);
    const told = terminal.stderr.text;
    expect([1, 2], `${argv.join(" ")}\n${told}`).toContain(code);
    expect(told).toMatch(said);
    expect(told).not.toMatch(fieldNames);
  };
  const env = { POSTDATE_URL: server.url, POSTDATE_KEY: rootKey };
  const made = async (...argv: readonly string[]): Promise<void> =>
    expect(await openTerminal({ env }).run(...argv)).toBe(0);
  await made("target", "add", receiver.url, "--id", "mail");
  await made("schedule", "add", "kept", "--target", "mail", "--cron", "@yearly");

  const long = "x".repeat(600);
  const nine = Array.from({ length: 9 }, (_, at) => ["--label", `l${at}=1`]).flat();
  const flags: readonly [readonly string[], string | RegExp][] = [
    [["--flex", "2d"], "--flex must be 1 d or less."],
    [["--catch-up", "all:0s"], "--catch-up must be 1 ms or more."],
    [["--catch-up", "all:1000d"], "--catch-up must be 366 d or less."],
    [["--max-runs", "0"], "--max-runs must be"],
    [["--not-after", "0s"], "--not-after must be 1 ms or more."],
    [["--timeout", "1ms"], "--timeout must be 100 ms or more."],
    [["--timeout", "10m"], "--timeout must be 5 min or less."],
    [["--label", `a=${long}`], "--label a must have at most 100 characters. (--label a)"],
    [nine, "--label must have at most 8 entries."],
    [["--header", "host: x"], /Remove this header.* \(--header host\)/],
    [["--content-type", "text"], /media type.* \(--content-type\)/],
    [["--max-attempts", "1000"], "--max-attempts must be 100 or less."],
    [["--backoff", "5000d"], "--backoff must be 30 d or less."],
    [
      ["--backoff", "exponential", "--backoff-longest", "1s"],
      "--backoff-longest must not be less than --backoff-start, which is 5 s.",
    ],
    [["--max-retry-after", "100d"], "--max-retry-after must be 7 d or less."],
    [["--end", "2020-01-01T00:00:00Z"], "--end, 2020-01-01T00:00:00.000Z, is past."],
    [["--cron", "0 0 31 2 *"], "--cron has no occurrence within 50 years."],
    [["--zone", "Mars/Olympus"], /--zone is not (?:a time zone|known)/],
  ];
  for (const [given, said] of flags) {
    const cron = given.includes("--cron") ? [] : ["--cron", "@daily"];
    await refused(["schedule", "add", "new", "--target", "mail", ...cron, ...given], said);
    await refused(["schedule", "update", "kept", ...given], said);
  }
  const add = ["schedule", "add", "new", "--target", "mail"];
  await refused([...add, "--at", "2020-01-01T09:00"], "--at has no occurrence");
  await refused([...add, "--every", "1h", "--end", "-1h"], "--every has no occurrence: --end");
  await refused(
    ["schedule", "add", "no name", ...add.slice(3), "--every", "1h"],
    "cannot be named",
  );

  for (const [argv, said] of [
    [["pause", "kept", "--until", "2020-01-01T00:00:00Z"], "--until must be later than now."],
    [["pause", "kept", "--note", long], "--note must have at most 500 characters."],
    [["skip", "kept", "2020-01-01T00:00:00Z"], "kept has no run to come at this time."],
    [["unskip", "kept", "2020-01-01T00:00:00Z"], "kept has no skipped run to come"],
    [["backfill", "kept", "--from", "tomorrow 9:00"], "--from must not be later than --to"],
    [
      ["backfill", "kept", "--from", "9d", "--to", "tomorrow 9:00"],
      "--to must not be in the future",
    ],
    [["backfill", "kept", "--from", "1900-01-01T00:00:00Z"], "--from must be at most fifty years"],
    [["backfill", "kept", "--from", "9d", "--note", long], "--note must have at most 500"],
    [
      ["backfill", "kept", "--from", "1000d", "--yes", "--idempotency-key", long],
      "--idempotency-key must be 1 to 255 visible ASCII characters.",
    ],
  ] as const) {
    await refused(["schedule", ...argv], said);
  }
});
