import { inspect } from "node:util";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { schema, settingNames } from "../config/schema.ts";
import { exitCodeMeanings } from "./failures/exit-codes.ts";
import { createProgram } from "./program.ts";
import { openTerminal } from "./testing/command-line.ts";

const page = readFileSync(
  new URL("../../../../docs/reference/command-line.md", import.meta.url),
  "utf8",
);

/** Every command that does something, by the words after `postdate`. */
function commands(parent: Command, words: readonly string[] = []): [string, Command][] {
  return parent.commands.flatMap((command): [string, Command][] => {
    const path = [...words, command.name()];
    const below = commands(command, path);
    const isGroup = below.length > 0 && command.name() !== "dev";
    return isGroup ? below : [[path.join(" "), command], ...below];
  });
}

const program = createProgram(openTerminal().surroundings);
const all = commands(program);

/** The groups too, by the words after `postdate`. */
function everyCommand(parent: Command, words: readonly string[] = []): string[] {
  return parent.commands.flatMap((command) => {
    const path = [...words, command.name()];
    return [path.join(" "), ...everyCommand(command, path)];
  });
}

test.each(everyCommand(program))("%s explains itself with an example", async (words) => {
  const terminal = openTerminal();
  expect(await terminal.run(...words.split(" "), "--help")).toBe(0);
  expect(terminal.stdout.text).toContain(`Usage: postdate ${words}`);
  expect(terminal.stdout.text).toMatch(new RegExp(`Examples:\n(?: +# .*\n)*.*postdate ${words}`));
  expect(terminal.stderr.text).toBe("");
});

test("the reference names every command and all its own options", () => {
  for (const [words, command] of all) {
    expect(page).toContain(`postdate ${words}`);
    const isServer = ["serve", "dev"].includes(words);
    const connection = new Set(["--url", "--key", "--json", "--profile"]);
    for (const { long, hidden } of command.options) {
      if (hidden) continue;
      if (isServer && long !== "--receiver-port") continue;
      if (!connection.has(long!)) expect(sectionOf(words)).toContain(long);
    }
  }
});

function sectionOf(words: string): string {
  const start = page.indexOf(`postdate ${words}`);
  const end = page.indexOf("\n## ", start);
  return page.slice(start, end === -1 ? undefined : end);
}

test("help and reference have the same exit codes", async () => {
  const terminal = openTerminal();
  await terminal.run("--help");
  for (const [code, meaning] of Object.entries(exitCodeMeanings)) {
    expect(terminal.stdout.text).toMatch(new RegExp(`^  ${code} {2,}${meaning}$`, "m"));
    expect(page).toContain(`| ${code} | ${meaning} |`);
  }
});

test.each([
  [["sned"], "Did you mean send?"],
  [["target", "lst"], "Did you mean list?"],
  [["get"], "error: name the message, by its id or with --target and --message-key"],
  [["payload"], "missing required argument 'messageId'"],
  [["get", "a", "b"], "too many arguments"],
  [["send", "a", "b", "--wiat"], "Did you mean --wait?"],
  [["key", "create"], "--name"],
  [["schedule", "create", "digest"], "(Did you mean add?)"],
  [["schedule", "delete", "digest", "--yes"], "(Did you mean remove?)"],
  [["schedule", "get", "digest"], "(Did you mean show?)"],
  [["help", "schedule", "create"], "(Did you mean add?)"],
  [["key", "add"], "(Did you mean create?)"],
  [["schedule", "pasue", "digest"], "(Did you mean pause?)"],
  [["schedule", "nonsense"], "error: unknown command 'nonsense'\n(--help"],
  [["schedule", "add", "x", "--target", "y", "--tz", "UTC"], "(Did you mean --zone?)"],
  [["schedule", "preview", "--cron", "@daily", "--timezone=UTC"], "(Did you mean --zone?)"],
  [["send", "a", "b", "--at", "noon", "--time-zone"], "(Did you mean --zone?)"],
])("%j is wrong usage, and the error says how to correct it", async (argv, hint) => {
  const terminal = openTerminal({ env: { POSTDATE_KEY: "x" } });
  expect(await terminal.run(...argv)).toBe(2);
  expect(terminal.stderr.text).toContain(hint);
  expect(terminal.stdout.text).toBe("");
});

test("help shows the help of a command with any number of words", async () => {
  const terminal = openTerminal();
  expect(await terminal.run("help", "target", "add")).toBe(0);
  expect(terminal.stdout.text).toContain("Usage: postdate target add");
  expect(await terminal.run("help", "target")).toBe(0);
  expect(terminal.stdout.text).toContain("Usage: postdate target [");
});

test.each([
  [["help", "sned"], "error: unknown command 'sned'\n(Did you mean send?)\n(--help shows how)\n"],
  [
    ["help", "target", "lst"],
    "error: unknown command 'lst'\n(Did you mean list?)\n(--help shows how)\n",
  ],
  [["events", "help", "nope"], "error: unknown command 'nope'\n(--help shows how)\n"],
  [
    ["target", "help", "lst"],
    "error: unknown command 'lst'\n(Did you mean list?)\n(--help shows how)\n",
  ],
  [["help", "send", "dev"], "error: unknown command 'dev'\n(--help shows how)\n"],
])("%j is a mistake, and no help about something else", async (argv, said) => {
  const terminal = openTerminal();
  expect(await terminal.run(...argv)).toBe(2);
  expect([terminal.stdout.text, terminal.stderr.text]).toEqual(["", said]);
});

test("help itself is no error, with --json neither", async () => {
  for (const argv of [
    ["help"],
    ["help", "help"],
    ["help", "--json"],
    ["help", "send", "--json"],
    ["--help"],
  ]) {
    const terminal = openTerminal();
    expect(await terminal.run(...argv)).toBe(0);
    expect(terminal.stdout.text).toMatch(/^Usage: postdate/);
    expect(terminal.stderr.text).toBe("");
  }
});

test("serve names every secret that only the environment can set", async () => {
  const terminal = openTerminal();
  await terminal.run("serve", "--help");
  for (const name of settingNames.filter((setting) => schema[setting].flag === null)) {
    expect(terminal.stdout.text).toContain(schema[name].env);
  }
});

test("--version prints only the version", async () => {
  const terminal = openTerminal();
  expect(await terminal.run("--version")).toBe(0);
  expect(terminal.stdout.text).toBe("1.2.3\n");
});

test("a bug is thrown, not reported as a refusal, and controls no terminal", async () => {
  const terminal = openTerminal({
    env: { POSTDATE_KEY: "x" },
    clock: {
      now: () => {
        throw new TypeError("a bug\u001B[2J\u009B8m");
      },
      monotonic: () => 0,
    },
  });
  const thrown = terminal.run("send", "a", "b", "--in", "1s");
  await expect(thrown).rejects.toThrow("TypeError: a bug");
  const shown = await thrown.catch((error: unknown) => inspect(error));
  expect(shown).toContain("program.test.ts");
  // oxlint-disable-next-line no-control-regex -- none may reach a terminal
  expect(shown).not.toMatch(/[\u001B\u009B]/u);
});
