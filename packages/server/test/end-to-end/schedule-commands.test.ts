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
