import { Option, type Command } from "commander";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { onOneLine } from "../terminal/aligned.ts";
import { paintFor } from "../terminal/colours.ts";
import { jsonText } from "../terminal/json-text.ts";
import { columnsOf, type Look } from "../terminal/look.ts";
import { readable } from "../terminal/readable.ts";
import type { Remark } from "../input/remark.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { chooseAccess, defaultUrl, type AccessFlags } from "./choose-access.ts";
import { accountKey } from "./key-source.ts";
import { openService, type Service } from "./service.ts";

/** What a command needs to call the service. */
export interface Connection {
  readonly service: Service;
  readonly json: boolean;
  /**
   * Words an answer for people. `words` gets a copy that controls no terminal. If it throws, the answer
   * is not what the service would send, and the command fails.
   */
  readonly worded: Worded;
  /** Writes the answer to stdout: the service's JSON with --json, otherwise text for people. */
  readonly show: <Answer>(answer: Answer, forPeople: Words<Answer, string>) => void;
  /** Writes a note to stderr. */
  readonly note: (line: string) => void;
  /** Writes a note about an answer to stderr. */
  readonly tell: <Answer>(answer: Answer, line: Words<Answer, string>) => void;
  /** Writes a hint for people to stderr. With --json it writes nothing. */
  readonly hint: (line: string) => void;
  /** Writes how things were understood to stderr. With --json it writes only what is a surprise. */
  readonly explain: (remarks: readonly Remark[]) => void;
}

type Words<Answer, Text> = (answer: Answer, look: Look) => Text;

type Worded = <Answer, Text>(answer: Answer, words: Words<Answer, Text>) => Text;

/** A subcommand that calls the service, with the options that all of these share. */
export function apiCommand(parent: Command, usage: string, source = accountKey): Command {
  const group = "Connection:";
  return parent
    .command(usage)
    .option("--json", "print the service's answer as JSON")
    .addOption(
      new Option("--url <url>", `the service (POSTDATE_URL; default: ${defaultUrl})`).helpGroup(
        group,
      ),
    )
    .addOption(new Option("--key <key>", source.description).helpGroup(group))
    .addOption(
      new Option(
        "--profile <name>",
        "a service and key that postdate login keeps (POSTDATE_PROFILE)",
      ).helpGroup(group),
    );
}

export function connect(
  command: Command,
  surroundings: Surroundings,
  source = accountKey,
): Connection {
  const options = command.opts<AccessFlags & { json?: boolean }>();
  const { env, stdout, stderr, fetch, clock, version } = surroundings;
  const access = chooseAccess(options, surroundings, source);
  const json = options.json === true;
  const paint = paintFor(stdout, env);
  const look = (): Look => ({ paint, now: clock.now(), columns: columnsOf(stdout) });
  const note = (line: string): void => void stderr.write(`${onOneLine(line)}\n`);
  const worded: Worded = (answer, words) => {
    try {
      return words(readable(answer), look());
    } catch (error) {
      throw error instanceof CommandFailed ? error : notUnderstood(access.url);
    }
  };
  return {
    service: openService({ ...access, fetch, version }),
    json,
    worded,
    show(answer, forPeople) {
      stdout.write(json ? jsonText(answer ?? {}, 2) : worded(answer, forPeople));
    },
    note,
    tell: (answer, line) => note(worded(answer, line)),
    hint: (line) => void (json || note(line)),
    explain(remarks) {
      for (const { text, isSurprise } of remarks) if (isSurprise || !json) note(text);
    },
  };
}

function notUnderstood(url: string): CommandFailed {
  return new CommandFailed(
    exitCodes.unreachable,
    `${url} answered with something that this version cannot show. Check --url or POSTDATE_URL, or use --json to see the answer as it is.`,
  );
}
