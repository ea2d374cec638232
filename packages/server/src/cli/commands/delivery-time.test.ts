import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage } from "../testing/samples.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const clock = { now: () => now, monotonic: () => 0 };

async function scheduled(env: Record<string, string>, ...argv: readonly string[]) {
  const terminal = await connected(() => ({ json: wireMessage() }), { clock });
  Object.assign(terminal.surroundings.env, env);
  const exitCode = await terminal.run(...argv);
  const { deliveryTime, delayMs } = (terminal.asked[0]?.body ?? {}) as Record<string, unknown>;
  return { exitCode, time: deliveryTime ?? delayMs, stderr: terminal.stderr.text };
}

test.each([
  [
    {},
    ["--at", "tomorrow 9:00"],
    "2026-11-15T09:00:00.000Z",
    "2026-11-15T09:00:00Z (UTC, in 23 h 30 min)",
  ],
  [
    { TZ: "America/New_York" },
    ["--at", "tomorrow 9:00"],
    "2026-11-15T14:00:00.000Z",
    "2026-11-15T09:00:00-05:00 (America/New_York, in 1 d 5 h)",
  ],
  [
    { TZ: ":/usr/share/zoneinfo/America/New_York" },
    ["--at", "friday 17:30", "--zone", "asia/tokyo"],
    "2026-11-20T08:30:00.000Z",
    "2026-11-20T17:30:00+09:00 (Asia/Tokyo, in 5 d 23 h)",
  ],
  [
    { TZ: ":Europe/Berlin" },
    ["--at", "+1d"],
    86_400_000,
    "2026-11-15T10:30:00+01:00 (Europe/Berlin, in 1 d)",
  ],
  [{}, ["--at", "1.5h"], 5_400_000, "2026-11-14T11:00:00Z (UTC, in 1 h 30 min)"],
  [{}, ["--at", "1h30m45s"], 5_445_000, "2026-11-14T11:00:45Z (UTC, in 1 h 30 min 45 s)"],
  [{}, ["--at", "in 2 hours"], 7_200_000, "2026-11-14T11:30:00Z (UTC, in 2 h)"],
  [
    {},
    ["--at", "2026-11-15T09:00:00Z", "--zone", "Asia/Tokyo"],
    "2026-11-15T09:00:00Z",
    "2026-11-15T18:00:00+09:00 (Asia/Tokyo, in 23 h 30 min)",
  ],
])("with %j, %j is due then, and stderr says when that is", async (env, argv, time, said) => {
  for (const command of [
    ["send", "billing", "x"],
    ["reschedule", messageId],
  ]) {
    const answer = await scheduled(env, ...command, ...argv);
    expect(answer).toEqual({ exitCode: 0, time, stderr: `Due ${said}.\n` });
    const asJson = await scheduled(env, ...command, ...argv, "--json");
    expect(asJson).toEqual({ exitCode: 0, time, stderr: "" });
  }
});

test.each([
  ["2 hours", 7_200_000],
  ["90 min", 5_400_000],
  ["1 hour and 30 minutes", 5_400_000],
  ["a week", 604_800_000],
  ["1.5h", 5_400_000],
])("--in %j is a delay too", async (text, delayMs) => {
  expect(await scheduled({}, "send", "b", "x", "--in", text)).toMatchObject({
    exitCode: 0,
    time: delayMs,
  });
});

test("what was sent with a delay shows when it is due, in two units", async () => {
  const later = wireMessage({ nextDeliveryTime: "2026-11-14T11:00:00.000Z" });
  const terminal = await connected(() => ({ json: later }), { clock });
  await terminal.run("send", "billing", "x", "--in", "1.5h");
  expect(terminal.stdout.text).toContain("2026-11-14T11:00:00.000Z (in 1 h 30 min)\n");
});

test("the service counts from now, but a time in the past is a time", async () => {
  expect((await scheduled({}, "send", "b", "x", "--at", "now")).time).toBe(0);
  expect((await scheduled({}, "send", "b", "x", "--at", "1h")).time).toBe(3_600_000);
  const past = await scheduled({}, "send", "b", "x", "--at", "1h ago");
  expect(past.time).toBe("2026-11-14T08:30:00.000Z");
});

test.each(["today 9:00", "2026-11-14T09:29:59Z", "1h ago"])(
  "%s is past, and stderr says what that means",
  async (text) => {
    const { exitCode, stderr } = await scheduled({}, "send", "b", "x", "--at", text);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^Due 2026-11-14T.* ago\)\.\nThat is past: the message is due at once\.\n$/,
    );
  },
);

test("where clocks change, stderr says what was chosen", async () => {
  const argv = ["send", "b", "x", "--zone", "Europe/Berlin", "--at"];
  const { stderr } = await scheduled({}, ...argv, "2027-03-28 2:30");
  expect(stderr).toMatch(/^Due 2027-03-28T03:00:00\+02:00 .*\nIn Europe\/Berlin there is no /);
  expect((await scheduled({}, ...argv, "2027-10-31 2:30")).stderr).toMatch(/comes twice/);
});

test.each([
  [{}, ["--at", "soon"], /^--at is not a time: "soon"; write it like .*"tomorrow 9:00"/],
  [{}, ["--at", "tomorrow"], /^--at has no time of day/],
  [
    {},
    ["--in", "tomorrow 9:00"],
    /^--in is not a duration: .*; --at takes a time, such as --at "tomorrow 9:00"\n/,
  ],
  [{}, ["--in", "1 month"], /^--in is not a duration: "1 month"; write it like 90s, 1h30m or 14d/],
  [{}, ["--at", "25:00"], /^--at is not a time: the hour .*: "25:00"; write it like .* or /],
  [{}, ["--in", "soon"], /^--in is not a duration: "soon"; write it like 90s, 1h30m or 14d/],
  [
    {},
    ["--at", "9:00", "--zone", "Berlin"],
    /^--zone is not a time zone: "Berlin"; write one like/,
  ],
  [{}, ["--at", "9:00", "--zone", "BST"], /^--zone is an abbreviation, .*: "BST"; write one like/],
  [{ TZ: "IST" }, ["--at", "9:00"], /^TZ is an abbreviation, .*: "IST".*--zone/],
  [{}, ["--in", "1h", "--zone", "UTC"], /^--zone does not go with --in, .*"tomorrow 9:00"\.\n$/],
  [{}, ["--zone", "UTC"], /^--zone says how to read --at: give --at too, or leave --zone out\.\n$/],
  [{ TZ: "CET-1CEST" }, ["--at", "9:00"], /^TZ is not a time zone: "CET-1CEST".*--zone/],
])("with %j, %j is refused, and nothing is sent", async (env, argv, message) => {
  const answer = await scheduled(env, "send", "b", "x", ...argv);
  expect(answer).toMatchObject({ exitCode: 2, time: undefined });
  expect(answer.stderr).toMatch(message);
});

test("a TZ that is no zone matters only to times that need one", async () => {
  const answer = await scheduled({ TZ: "CET-1CEST" }, "send", "b", "x", "--at", "1h");
  expect(answer.stderr).toBe("Due 2026-11-14T10:30:00Z (UTC, in 1 h).\n");
});
