import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopes } from "../../domain/access.ts";
import { createProgram } from "../program.ts";
import { openTerminal } from "../testing/command-line.ts";
import { isInstalled, offeredBy, type Shell } from "../testing/shells.ts";
import { commandWords } from "./word-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "postdate-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));
const payload = join(folder, "payload.json");
writeFileSync(payload, "{}");

async function writeScript(shell: Shell): Promise<string> {
  const terminal = openTerminal();
  expect(await terminal.run("completion", shell)).toBe(0);
  const file = join(folder, `script.${shell}`);
  writeFileSync(file, terminal.stdout.text);
  return file;
}

/** Bash must be there. The others are tested where they are installed. */
const shells: readonly Shell[] = ["bash", ...(["zsh", "fish"] as const).filter(isInstalled)];

describe.each(shells)("%s", (shell) => {
  let script: string;
  beforeAll(async () => {
    script = await writeScript(shell);
  });

  const expected: readonly (readonly [line: string, words: readonly string[]])[] = [
    ["postdate tar", ["target"]],
    ["postdate target up", ["update"]],
    ["postdate help xyz", []],
    ["postdate help resc", ["reschedule"]],
    ["postdate completion ", ["bash", "fish", "zsh"]],
    ["postdate send billing --wa", ["--wait"]],
    ["postdate target get add --js", ["--json"]],
    ["postdate --vers", ["--version"]],
    ["postdate target add --paused ", ["no", "yes"]],
    ["postdate target add https://example.com --paused=y", ["yes"]],
    ["postdate serve --log-format p", ["pretty"]],
    ["postdate key create --scope ", scopes.toSorted()],
    ["postdate send billing --at ", []],
    ["postdate send billing --idempotency-key tar", []],
  ];

  test("completes what can be known, and nothing else", async () => {
    const lines = expected.map(([line]) => line);
    const offered = await offeredBy(shell, script, lines);
    expect(lines.map((line, index) => [line, offered[index]])).toEqual(expected);
  });

  test("a path is completed as a file", async () => {
    const [[offer = ""] = []] = await offeredBy(shell, script, [
      `postdate send billing --file ${folder}/pay`,
    ]);
    expect(payload.endsWith(offer) && offer.endsWith("payload.json")).toBe(true);
  });
});

const all = commandWords(createProgram(openTerminal().surroundings));

test("every command offers its commands and its options", async () => {
  const script = await writeScript("bash");
  const written = all.filter(({ path }) => !path.endsWith(" help"));
  expect(written.length).toBeGreaterThan(40);
  const linesOf = (end: string): string[] => written.map(({ path }) => `postdate${path} ${end}`);
  const flags = await offeredBy("bash", script, linesOf("-"));
  const words = await offeredBy("bash", script, linesOf(""));
  for (const [place, { path, commands, options }] of written.entries()) {
    expect(flags[place], path).toEqual(options.flatMap(({ names }) => names).toSorted());
    if (commands.length === 0) continue;
    expect(words[place], path).toEqual(commands.map(({ name }) => name).toSorted());
  }
});

test("no offered word needs quotes", () => {
  const words = all.flatMap(({ commands, argumentWords, options }) => [
    ...commands.map(({ name }) => name),
    ...argumentWords,
    ...options.flatMap(({ names, value }) => [
      ...names,
      ...(value?.kind === "words" ? value.words : []),
    ]),
  ]);
  expect(words.filter((word) => !/^[\w.-]+$/.test(word))).toEqual([]);
});

test("another shell is refused, and those that are known are named", async () => {
  const terminal = openTerminal();
  expect(await terminal.run("completion", "tcsh")).toBe(2);
  expect(terminal.stderr.text).toMatch(/Allowed choices are bash, zsh, fish/);
});
