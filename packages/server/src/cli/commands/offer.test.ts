import { expect, test } from "vitest";
import { openTerminal } from "../testing/command-line.ts";
import { connected } from "../testing/connected-terminal.ts";
import { wireTarget } from "../testing/samples.ts";
import { wireSchedule } from "../testing/wire-schedule.ts";

const pageOf = (...ids: readonly string[]) => ({
  items: ids.map((targetId) => wireTarget({ targetId })),
  nextPageToken: null,
});

test("only plain names reach the shell, which might evaluate others", async () => {
  const terminal = await connected(() => ({ json: pageOf("billing", "$(date)", "a b", "-x;y") }));
  expect(await terminal.run("offer", "targets", "--", "send")).toBe(0);
  expect(terminal.stdout.text).toBe("billing\n");
});

test.each([
  [["schedules", "--", "schedule", "show"], "digest\n"],
  [["schedules", "--", "schedule", "add"], ""],
  [["schedules", "--", "send"], ""],
  [["all-schedules", "--", "find", "--schedule"], "digest\n"],
])("offer %j is %j", async (argv, offered) => {
  const terminal = await connected(({ path }) => ({
    json: path.startsWith("/v1/schedules?")
      ? { items: [wireSchedule()], nextPageToken: null }
      : pageOf("billing"),
  }));
  expect(await terminal.run("offer", ...argv)).toBe(0);
  expect(terminal.stdout.text).toBe(offered);
});

test.each([
  ["refuses the key", { status: 401, json: { errors: [{ code: "E-DI-2001", message: "No" }] } }],
  ["is something else", { text: "<html>" }],
  ["fails", { status: 500, json: { errors: [{ code: "E-DI-9001", message: "No" }] } }],
])("there is no noise if the service %s, and no second try", async (_what, answer) => {
  const terminal = await connected(() => answer);
  expect(await terminal.run("offer", "targets", "--", "send")).toBe(0);
  expect([terminal.stdout.text, terminal.stderr.text]).toEqual(["", ""]);
  expect(terminal.asked).toHaveLength(1);
});

test("there is no noise without a key, a service or a usable file of profiles", async () => {
  for (const env of [
    {},
    { POSTDATE_KEY: "pd_0123456789abcdef", POSTDATE_URL: "http://127.0.0.1:1" },
    { POSTDATE_PROFILE: "a/b" },
    { XDG_CONFIG_HOME: "/dev/null" },
  ]) {
    const terminal = openTerminal({ env });
    for (const kind of ["targets", "profiles"]) {
      expect(await terminal.run("offer", kind, "--", "send")).toBe(0);
    }
    expect([terminal.stdout.text, terminal.stderr.text]).toEqual(["", ""]);
  }
});

test("a service that does not answer is given up, and those that are read are offered", async () => {
  const waiting: (() => void)[] = [];
  const terminal = await connected(() => ({ json: { ...pageOf("billing"), nextPageToken: "t" } }));
  const { fetch } = terminal.surroundings;
  const slow = openTerminal({
    ...terminal.surroundings,
    timers: {
      after(_delayMs, callback) {
        waiting.push(callback);
        return { cancel: () => {} };
      },
    },
    async fetch(url, init) {
      if (terminal.asked.length === 0) return fetch(url, init);
      queueMicrotask(() => waiting[0]!());
      return new Promise((_answer, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal!.reason as Error));
      });
    },
  });
  const { stdout } = terminal;
  expect(await slow.run("offer", "targets", "--", "send")).toBe(0);
  expect(stdout.text).toBe("billing\n");
});
