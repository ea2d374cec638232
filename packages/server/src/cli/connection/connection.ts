import { readFileSync } from "node:fs";
import { Option, type Command } from "commander";
import { findVariable } from "../../config/environment.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { createApi, type Api } from "./api.ts";
import { paintFor } from "../terminal/colours.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { jsonText } from "../terminal/json-text.ts";
import type { Look } from "../terminal/look.ts";
import { readOption } from "../input/read-option.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export const defaultUrl = "http://127.0.0.1:7070";

/** What a command needs to call the service. */
export interface Connection {
  readonly api: Api;
  readonly json: boolean;
  readonly look: () => Look;
  /** Writes the answer to stdout: the service's JSON with --json, otherwise text for people. */
  readonly show: (answer: unknown, forPeople: (look: Look) => string) => void;
  /** Writes a note to stderr. */
  readonly note: (line: string) => void;
  /** Writes a hint for people to stderr. With --json it writes nothing. */
  readonly hint: (line: string) => void;
}

/** Which key a command sends, and where the key comes from without --key. */
export interface KeySource {
  /** The text for help. */
  readonly description: string;
  /** The first variable that is set counts. Each also works as a file, with `_FILE` at the end. */
  readonly variables: readonly [string, ...string[]];
  /** The error if no key is set. */
  readonly missing: readonly string[];
}

const accountKey: KeySource = {
  description:
    "the API key; POSTDATE_KEY or POSTDATE_KEY_FILE keep it out of the list of processes",
  variables: ["POSTDATE_KEY", "POSTDATE_ROOT_KEY"],
  missing: [
    "No API key: set POSTDATE_KEY, or give one with --key.",
    "`postdate dev` prints one, and so does the first start of `postdate serve`.",
  ],
};

export const operatorKey: KeySource = {
  description:
    "the operator's key; POSTDATE_OPERATOR_KEY or POSTDATE_OPERATOR_KEY_FILE keep it out of the list of processes",
  variables: ["POSTDATE_OPERATOR_KEY"],
  missing: [
    "No operator's key: set POSTDATE_OPERATOR_KEY to what the server has, or give it with --key.",
    "A server manages accounts once it is started with POSTDATE_OPERATOR_KEY=pdo_… of your choice.",
  ],
};

/** A subcommand that calls the service, with the options that all of these share. */
export function apiCommand(parent: Command, usage: string, source = accountKey): Command {
  return parent
    .command(usage)
    .option("--json", "print the service's answer as JSON")
    .addOption(
      new Option("--url <url>", `the service (POSTDATE_URL; default: ${defaultUrl})`).helpGroup(
        "Connection:",
      ),
    )
    .addOption(new Option("--key <key>", source.description).helpGroup("Connection:"));
}

export function connect(
  command: Command,
  surroundings: Surroundings,
  source = accountKey,
): Connection {
  const options = command.opts<{ url?: string; key?: string; json?: boolean }>();
  const { env, stdout, stderr, fetch, clock } = surroundings;
  const url = options.url ?? (env["POSTDATE_URL"] || defaultUrl);
  readOption(options.url === undefined ? "POSTDATE_URL" : "--url", url, checkUrl);
  const json = options.json === true;
  const paint = paintFor(stdout, env);
  const columns = (stdout.isTTY === true ? stdout.columns : undefined) ?? null;
  const look = (): Look => ({ paint, now: clock.now(), columns });
  const key =
    options.key === undefined ? keyFrom(env, source) : { name: "--key", text: options.key };
  const note = (line: string): void => void stderr.write(`${line}\n`);
  return {
    api: createApi({
      url,
      key: readOption(key.name, key.text, checkKey),
      keyVariable: source.variables[0],
      fetch,
    }),
    json,
    look,
    show(answer, forPeople) {
      stdout.write(json ? jsonText(answer ?? {}, 2) : forPeople(look()));
    },
    note,
    hint: (line) => void (json || note(line)),
  };
}

function checkUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new InvalidValue(`must be an http or https address, not "${text}"`);
  }
}

/** The error never repeats the key. */
function checkKey(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new InvalidValue(
    text.includes("…")
      ? "is an example from the documentation, not a key: replace it by your own"
      : "holds spaces, line breaks or letters that no key has: copy it again",
  );
}

interface FoundKey {
  /** Where the value comes from. An error about the value names it. */
  readonly name: string;
  readonly text: string;
}

function keyFrom(env: Surroundings["env"], source: KeySource): FoundKey {
  const environment = { env, readFile: (path: string) => readFileSync(path, "utf8") };
  for (const name of source.variables) {
    const variable = findVariable(name, environment);
    if (variable !== undefined) return { name: variable.source, text: variable.text() };
  }
  throw new CommandFailed(exitCodes.usage, ...source.missing);
}
