import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../program.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { openTerminal, standardInput } from "../testing/command-line.ts";

function paths(parent: Command, words: readonly string[] = []): (readonly string[])[] {
  const below = parent.commands.flatMap((command) => paths(command, [...words, command.name()]));
  return [words, ...below];
}

const all = paths(createProgram(openTerminal().surroundings));

async function helpOf(words: readonly string[], columns?: number): Promise<string> {
  const terminal = openTerminal({ env: { NO_COLOR: "1" } }, columns);
  expect(await terminal.run(...words, "--help")).toBe(0);
  return terminal.stdout.text;
}

describe.each([40, 50, 60, 80, 200])("at %d columns", (columns) => {
  test.each(all)("the help of postdate %s %s fits", async (...words) => {
    for (const line of (await helpOf(words, columns)).split("\n")) {
      const isOneWord = !/\S\s+[^\s\\]/.test(line.replaceAll(/> |"[^"]*"|'[^']*'/g, "x"));
      expect(isOneWord ? 0 : displayWidth(line), line).toBeLessThanOrEqual(columns);
    }
  });
});

test("through a pipe, help has 80 columns", async () => {
  for (const words of all) expect(await helpOf(words)).toBe(await helpOf(words, 80));
  // Some terminals say that they have no columns.
  expect(await helpOf(["send"], 0)).toBe(await helpOf(["send"], 80));
});

/** The command lines among the examples, as a shell reads them. */
function exampleLines(help: string): string[] {
  const [, shown = ""] = help.split("Examples:\n");
  const [examples = ""] = shown.split("\n\n");
  const lines = examples.replaceAll(/ \\\n\s+/g, " ").split("\n");
  return lines.map((line) => line.replace(/ *# .*/, "").trim()).filter((line) => line !== "");
}

test("an example that is broken into lines is the same for a shell", async () => {
  for (const words of all) {
    const whole = exampleLines(await helpOf(words, 200));
    expect(whole.length).toBeGreaterThan(0);
    expect(exampleLines(await helpOf(words, 40))).toEqual(whole);
  }
  expect(await helpOf(["target", "add"], 40)).toContain(`Examples:
  # with the defaults
  postdate target add \\
    https://example.com/hooks \\
    --id billing
`);
});

test("where there is little room, an explanation goes below its option", async () => {
  expect(await helpOf(["send"], 50)).toContain(`
  --wait
      wait until it is delivered, dead-lettered or
      cancelled
`);
});

/** What a shell passes on to each `postdate` of a line. */
function callsIn(line: string): string[][] {
  return [...line.matchAll(/\bpostdate ([^|<>)]*)/g)].map(([, rest = ""]) =>
    (rest.match(/"[^"]*"|'[^']*'|[^\s"']+/g) ?? []).map((word) =>
      word.replace(/^(["'])(.*)\1$/, "$2"),
    ),
  );
}

/** A person who has two profiles and the file that an example sends. The service refuses everything. */
function atWork() {
  const folder = mkdtempSync(join(tmpdir(), "postdate-examples-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const profile = { url: "http://127.0.0.1:1", key: "pd_0123456789abcdef" };
  const profiles = { default: profile, prod: profile };
  mkdirSync(join(folder, "postdate"), { mode: 0o700 });
  const file = join(folder, "postdate", "profiles.json");
  writeFileSync(file, JSON.stringify({ profiles }), { mode: 0o600 });
  writeFileSync(join(folder, "invoice.json"), "{}");
  const refuse = (): Promise<never> => Promise.reject(new Error("there is no store"));
  const errors = [{ code: "E-DI-2001", message: "Unknown key" }];
  const terminal = openTerminal({
    env: { XDG_CONFIG_HOME: folder, POSTDATE_OPERATOR_KEY: "pdo_0123456789abcdef" },
    stdin: standardInput("pd_0123456789abcdef"),
    openSchema: () => Promise.resolve({ status: refuse, upgrade: refuse }),
    openBackups: () => Promise.resolve({ backUp: refuse, restore: refuse }),
    fetch: () => Promise.resolve(Response.json({ errors }, { status: 401 })),
  });
  return { folder, terminal };
}

test.each(all)("the examples of postdate %s %s are no wrong usage", async (...words) => {
  const calls = exampleLines(await helpOf(words, 200)).flatMap(callsIn);
  expect(calls.length).toBeGreaterThan(0);
  for (const argv of calls) {
    const { folder, terminal } = atWork();
    const inFolder = argv.map((word) => (word === "invoice.json" ? join(folder, word) : word));
    expect(await terminal.run(...inFolder), `${argv.join(" ")}\n${terminal.stderr.text}`).not.toBe(
      2,
    );
  }
});

test("the endpoints that examples of events name are made by an example", async () => {
  const ofEvents = all.filter(([first]) => first === "events" || first === "tail");
  const calls = (await Promise.all(ofEvents.map((words) => helpOf(words, 200)))).flatMap((help) =>
    exampleLines(help).flatMap(callsIn),
  );
  const made = calls.flatMap((argv) => argv.filter((_, at) => argv[at - 1] === "--id"));
  const named = calls.flatMap(
    ([first, second, third]) => (first === "tail" ? second : third) ?? [],
  );
  for (const id of named.filter((word) => !word.startsWith("-"))) expect(made).toContain(id);
});
