import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "../../src/cli/testing/command-line.ts";
import { typing } from "../../src/cli/testing/typing.ts";
import { rootKey } from "../support/server-process.ts";
import { services } from "../support/service.ts";

const startService = services();
const page = join(import.meta.dirname, "../../../../docs/guides/recurring-schedules.md");
const guide = readFileSync(page, "utf8");
const curl =
  /^curl -s (?:-X (\w+) )?"?\$api(\/[^"\s]*)"? -H "\$auth"(?: -H "\$json" -d '([^']*)')?/gm;

/** The commands of the guide, by their place, as a shell reads their words. */
const commands = [...guide.matchAll(/^npx postdate (.*)$/gm)].map(([, line = ""]) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ""),
);

test("each command of the guide does on a real server what the guide says", async () => {
  const { server, receiver } = await startService();
  const run = async (...argv: readonly string[]) => {
    const terminal = openTerminal({
      env: { POSTDATE_URL: server.url, POSTDATE_KEY: rootKey },
      stdin: typing("y\n"),
    });
    const code = await terminal.run(...argv);
    expect(code, `${argv.join(" ")}\n${terminal.stderr.text}`).toBe(0);
    return terminal.stdout.text;
  };
  await run("target", "add", receiver.url, "--id", "dev");
  const names = commands.map(([group, verb]) => (group === "schedule" ? verb : group));
  expect(names).toEqual([
    ...["preview", "add", "trigger", "list", "find", "runs"],
    ...["update", "update", "backfill", "backfill", "update", "pause", "resume", "skip", "unskip"],
    ...["update", "update", "show", "remove"],
  ]);
  const next = () => run(...commands.shift()!);

  const table = /LOCAL \(Europe\/Berlin\) .*\n(?:.*T09:00:00\+0[12]:00 .*\n){5}Clocks in /;
  expect(await next()).toMatch(table);
  expect(await next()).toMatch(table);
  expect(await next()).toMatch(/^Outcome +SCHEDULED$/m);
  const [delivery] = await receiver.received(1);
  expect(delivery!.body.toString()).toBe("your daily digest");
  expect(delivery!.headers).toMatchObject({
    "postdate-schedule": "digest",
    "postdate-run-time": expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await next()).toMatch(/^digest +active /m);
  expect(await next()).toContain(delivery!.messageId);
  expect(await next()).toMatch(new RegExp(`MANUAL +${delivery!.messageId}`));

  expect(await next()).toContain("Pauses");
  expect(await next()).toContain("make the last one → make all of them that are at most 1 d old");
  expect(await next()).toContain("run times have had no run.");
  expect(await next()).toContain("DONE");
  expect(await next()).toContain("→ skip the run");
  expect(await next()).toMatch(/^State +paused$[^]*^Note +holidays$/m);
  expect(await next()).toMatch(/^State +active$/m);
  expect(await next()).toMatch(/T09:00:00\+0[12]:00 .* skipped/);
  expect(await next()).not.toContain("skipped");
  expect(await next()).toMatch(/0 9 \* \* MON-FRI → 30 8 \* \* MON-FRI[^]*T08:30:00\+0[12]:00/);
  expect(await next()).toContain("none → 10 min");
  expect(await next()).toMatch(/^Spread over +10 min$/m);
  expect(await next()).toBe("Removed digest\n");
});

test("each request of the guide does on a real server what the guide says", async () => {
  const { api, receiver } = await startService();
  await api("POST", "/v1/targets", { body: { targetId: "dev", url: receiver.url } });
  const requests = [...guide.matchAll(curl)];
  expect(requests).toHaveLength(10);
  const send = async () => {
    const [, method, path = "", data] = requests.shift()!;
    const body = data === undefined ? {} : { body: JSON.parse(data) as object };
    return api(method ?? (data === undefined ? "GET" : "POST"), `/v1${path}`, body);
  };
  expect(await send()).toMatchObject({ status: 201, body: { scheduleId: "digest" } });
  const changed = { cron: ["30 8 * * MON-FRI"], overlap: "allow", paused: false };
  expect(await send()).toMatchObject({ status: 200, body: changed });
  expect(await send()).toMatchObject({ body: { paused: true, pause: { note: "holidays" } } });
  expect(await send()).toMatchObject({ body: { paused: false, pause: null } });
  const triggered = await send();
  expect(triggered).toMatchObject({ status: 201, body: { trigger: "MANUAL" } });
  const { runTime } = triggered.body;
  expect(await send()).toMatchObject({ status: 200, body: { exact: true } });
  expect(await send()).toMatchObject({ body: { items: [{ runTime, outcome: "CREATED" }] } });
  expect(await send()).toMatchObject({ body: { items: [{ scheduleId: "digest" }] } });
  expect((await send()).body.occurrences).toHaveLength(3);
  expect(await send()).toMatchObject({ status: 200, body: { scheduleId: "digest" } });
  expect(await api("GET", "/v1/schedules/digest")).toMatchObject({ status: 404 });
});

test("a wrong expression is shown as the guide says", async () => {
  const [, shown] = /^```\n( {2}0 22-2 [^]*?)^```/m.exec(guide)!;
  const terminal = openTerminal({});
  expect(await terminal.run("schedule", "preview", "--cron", "0 22-2 * * *")).toBe(2);
  expect(terminal.stderr.text).toBe(shown);
});
