import type { Command } from "commander";
import { expect, test } from "vitest";
import { createProgram } from "./program.ts";
import { openTerminal, standardInput } from "./testing/command-line.ts";
import { connected } from "./testing/connected-terminal.ts";
import { messageId } from "./testing/samples.ts";

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

function problemsIn(stderr: string): readonly Problem[] {
  return (JSON.parse(stderr) as { errors: Problem[] }).errors;
}

test("with --json, errors of the service are passed on unchanged", async () => {
  const errors = [
    { code: "E-DI-1001", message: "Bad", field: "deliveryTime" },
    { code: "E-DI-5002", message: "Long" },
  ];
  const terminal = await connected(() => ({ status: 400, json: { errors } }));
  expect(await terminal.run("get", messageId, "--json")).toBe(1);
  expect(problemsIn(terminal.stderr.text)).toEqual(errors);
  expect(terminal.stderr.text).toMatch(/^[^\n]+\n$/);
  expect(terminal.stdout.text).toBe("");
});

test("a missing message and an unreachable service have their own codes", async () => {
  const terminal = await connected(() => ({ status: 404 }));
  expect(await terminal.run("get", messageId, "--json")).toBe(4);
  expect(problemsIn(terminal.stderr.text)).toEqual([
    { code: "not-found", message: `There is no message ${messageId}.` },
  ]);
  await terminal.closeService();
  const away = openTerminal({ env: terminal.surroundings.env });
  expect(await away.run("get", messageId, "--json")).toBe(3);
  expect(problemsIn(away.stderr.text)[0]).toMatchObject({
    code: "unreachable",
    message: expect.stringContaining("nothing listens there"),
  });
});

test.each([
  [["list", "a", "--json", "--min-time", "soon"], "--min-time", /is not a time/],
  [["payload", "--json"], undefined, /^missing required argument 'messageId'$/],
  [["get", "--json"], undefined, /^name the message, by its id or with --target/],
  [["send", "a", "b", "--json", "--wiat"], undefined, /^unknown option '--wiat'.*--wait/],
  [["target", "--json"], undefined, /^unknown option '--json'$/],
])("wrong usage, %j, is JSON too", async (argv, field, message) => {
  const terminal = openTerminal({ env: { POSTDATE_KEY: "pd_0123456789abcdef" } });
  expect(await terminal.run(...argv)).toBe(2);
  const [problem, ...others] = problemsIn(terminal.stderr.text);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ code: "usage", message: expect.stringMatching(message) });
  expect(problem?.field).toBe(field);
});

/** A way to type each command that calls something, with what it needs. */
function typed(parent: Command, words: readonly string[] = []): (readonly string[])[] {
  return parent.commands.flatMap((command) => {
    const path = [...words, command.name()];
    const below = typed(command, path);
    const calls = command.options.some(({ long }) => /^--(?:url|receiver-port)$/.test(long ?? ""));
    if (!calls || path.join(" ") === "dev") return below;
    const given = command.registeredArguments
      .filter(({ required }) => required)
      .map((argument) => samples[argument.name()] ?? "x");
    return [[...path, ...given, ...(needed[path.join(" ")] ?? [])], ...below];
  });
}

const samples: Readonly<Record<string, string>> = {
  url: "https://example.com",
  count: "1",
  perSecond: "1",
  time: "2027-01-01T09:00:00Z",
};
const needed: Readonly<Record<string, readonly string[]>> = {
  send: ["payload"],
  get: ["x"],
  cancel: ["x"],
  reschedule: ["x", "--in", "1s"],
  redrive: ["x"],
  shift: ["--target", "x", "--by", "1d"],
  "target update": ["--rate", "none"],
  "events update": ["--usual-types"],
  "schedule add": ["--target", "x", "--every", "1h"],
  "schedule update": ["--overlap", "skip"],
  "schedule backfill": ["--from", "7d"],
  "key create": ["--name", "x"],
  "client create": ["--name", "x"],
  "account create-key": ["--name", "x"],
  "account delete": ["--yes"],
  "dev fail": ["--receiver-port", "1"],
};
const lines = typed(createProgram(openTerminal().surroundings));

test("there are as many commands that call something as there should be", () => {
  expect(lines.length).toBeGreaterThan(35);
});

test.each(lines)("%s %s has its errors as JSON", async (...argv) => {
  const errors = [{ code: "E-DI-2001", message: "Unknown key" }];
  const refusing = await connected(() => ({ status: 401, json: { errors } }), {
    stdin: standardInput("pd_0123456789abcdef"),
  });
  const isDevFail = argv[0] === "dev";
  if (!isDevFail) {
    expect(await refusing.run(...argv, "--json")).toBe(1);
    expect(problemsIn(refusing.stderr.text)).toEqual(errors);
  }
  const wrong = openTerminal({ env: refusing.surroundings.env });
  expect(await wrong.run(...argv, "--nonsense", "--json")).toBe(2);
  expect(problemsIn(wrong.stderr.text)).toMatchObject([{ code: "usage" }]);

  await refusing.closeService();
  const away = openTerminal({
    env: refusing.surroundings.env,
    stdin: standardInput("pd_0123456789abcdef"),
  });
  expect(await away.run(...argv, "--json")).toBe(3);
  expect(problemsIn(away.stderr.text)).toMatchObject([{ code: "unreachable" }]);
  for (const { stdout } of [refusing, wrong, away]) expect(stdout.text).toBe("");
});

test.each([[["sned"]], [["target", "lst"]], [[]], [["target"]]])(
  "an unknown or missing command, %j, is JSON too",
  async (argv) => {
    const terminal = openTerminal();
    expect(await terminal.run(...argv, "--json")).toBe(2);
    expect(problemsIn(terminal.stderr.text)).toMatchObject([{ code: "usage" }]);
  },
);

test("a payload with the text --json is not an option", async () => {
  const terminal = openTerminal();
  expect(await terminal.run("send", "a", "--", "--json")).toBe(2);
  expect(terminal.stderr.text).toMatch(/^No API key/);
});

test("--help stays help", async () => {
  const terminal = openTerminal();
  expect(await terminal.run("get", "--json", "--help")).toBe(0);
  expect(terminal.stdout.text).toContain("Usage: postdate get");
  expect(terminal.stderr.text).toBe("");
});
