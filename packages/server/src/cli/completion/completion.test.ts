import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopes } from "../../domain/access.ts";
import { createProgram } from "../program.ts";
import { answeringService, type AnsweringService } from "../testing/answering-service.ts";
import { openTerminal } from "../testing/command-line.ts";
import { wireTarget } from "../testing/samples.ts";
import { wireSchedule } from "../testing/wire-schedule.ts";
import { isInstalled, offeredBy, type Shell } from "../testing/shells.ts";
import { commandWords } from "./word-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "postdate-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "payload.json"), "{}");

/** The program, as a shell finds it. It is in few files, because the shells start it over and over. */
await build({
  input: { program: fileURLToPath(new URL("../testing/patient-program.ts", import.meta.url)) },
  platform: "node",
  output: { dir: join(folder, "lib"), format: "esm", entryFileNames: "[name].mjs" },
  logLevel: "silent",
});
const program = join(folder, "lib/program.mjs");
const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
mkdirSync(join(folder, "bin"));
writeFileSync(join(folder, "bin/postdate"), script, { mode: 0o755 });

let service: AnsweringService;
let env: NodeJS.ProcessEnv;

/** Two services at one address: each key sees its own targets. */
beforeAll(async () => {
  service = await answeringService(({ headers, path }) => {
    if (path.startsWith("/v1/schedules")) {
      const schedules = ["digest", "poll"].map((scheduleId) => wireSchedule({ scheduleId }));
      return { json: { items: schedules, nextPageToken: null } };
    }
    const ids = headers.authorization === "Bearer pd_prod" ? ["shop"] : ["billing", "bills"];
    return {
      json: { items: ids.map((targetId) => wireTarget({ targetId })), nextPageToken: null },
    };
  });
  const { PATH = "" } = process.env;
  env = {
    PATH: `${join(folder, "bin")}${delimiter}${PATH}`,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const { url } = service;
  const profiles = { default: { url, key: "pd_default" }, prod: { url, key: "pd_prod" } };
  mkdirSync(join(folder, "postdate"), { mode: 0o700 });
  writeFileSync(join(folder, "postdate/profiles.json"), JSON.stringify({ profiles }), {
    mode: 0o600,
  });
});

afterAll(() => service.close());

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
    ["postdate get --profile ", ["default", "prod"]],
    ["postdate logout --profile=p", ["prod"]],
    ["postdate send bi", ["billing", "bills"]],
    ["postdate target get ", ["billing", "bills"]],
    ["postdate send --in 5s --json bi", ["billing", "bills"]],
    ["postdate list --profile prod ", ["shop"]],
    ["postdate target test --profile=prod s", ["shop"]],
    ["postdate send --url http://127.0.0.1:1 --key x bi", []],
    ["postdate send billing bi", []],
    ["postdate target add https://example.com --id bi", []],
    ["postdate get --target bi", ["billing", "bills"]],
    ["postdate cancel --profile prod --target ", ["shop"]],
    ["postdate reschedule --target=bi", ["billing", "bills"]],
    ["postdate get --message-key ", []],
    ["postdate find --target bil", ["billing", "bills"]],
    ["postdate find --state D", ["DEAD_LETTER", "DELIVERED"]],
    ["postdate send billing --on-conflict replace", ["replace", "replaceKeepTime"]],
    ["postdate send billing --not", ["--not-after"]],
    ["postdate reschedule --no", ["--no-not-after", "--not-after", "--note"]],
    ["postdate red", ["redrive"]],
    ["postdate redrive bi", ["billing", "bills"]],
    ["postdate redrive billing --reason A", ["ADDRESS_REFUSED", "ATTEMPTS_EXHAUSTED"]],
    ["postdate redrive billing --s", ["--schedule", "--since", "--status", "--stop-after"]],
    ["postdate shift --target bil", ["billing", "bills"]],
    ["postdate jobs re", ["resume"]],
    ["postdate target remove billing --can", ["--cancel-messages"]],
  ];
  const ofSchedules: typeof expected = [
    ["postdate schedule un", ["unskip"]],
    ["postdate schedule show ", ["digest", "poll"]],
    ["postdate schedule pause --until 2d di", ["digest"]],
    ["postdate schedule skip digest di", []],
    ["postdate schedule add di", []],
    ["postdate schedule add digest --target bil", ["billing", "bills"]],
    ["postdate schedule update digest --overlap ", ["allow", "queue", "replace", "skip"]],
    ["postdate schedule update digest --catch-up ", ["all", "last", "none"]],
    ["postdate find --schedule ", ["digest", "poll"]],
  ];

  test.each([
    ["of messages, targets and jobs", expected],
    ["of schedules", ofSchedules],
  ])("completes what can be known %s, and nothing else", async (_what, these) => {
    const lines = these.map(([line]) => line);
    const offered = await offeredBy(shell, script, lines, env);
    expect(lines.map((line, index) => [line, offered[index]])).toEqual(these);
  });

  test("a path is completed as a file", async () => {
    const line = `postdate send billing --file ${folder}/pay`;
    const [offers = []] = await offeredBy(shell, script, [line], env);
    // Some shells offer the whole path.
    expect(offers.map((offer) => basename(offer))).toEqual(["payload.json"]);
  });
});

const all = commandWords(createProgram(openTerminal().surroundings));

test("every command offers its commands and its options", async () => {
  const script = await writeScript("bash");
  const written = all.filter(({ path }) => !path.endsWith(" help"));
  expect(written.length).toBeGreaterThan(40);
  const groups = written.filter(({ commands }) => commands.length > 0);
  const linesOf = (of: typeof written, end: string): string[] =>
    of.map(({ path }) => `postdate${path} ${end}`);
  const flags = await offeredBy("bash", script, linesOf(written, "-"), env);
  const words = await offeredBy("bash", script, linesOf(groups, ""), env);
  for (const [place, { path, options }] of written.entries()) {
    expect(flags[place], path).toEqual(options.flatMap(({ names }) => names).toSorted());
  }
  for (const [place, { path, commands }] of groups.entries()) {
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
