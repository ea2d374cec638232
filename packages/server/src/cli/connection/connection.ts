import { Option, type Command } from "commander";
import { paintFor } from "../terminal/colours.ts";
import { jsonText } from "../terminal/json-text.ts";
import type { Look } from "../terminal/look.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { chooseAccess, defaultUrl, type AccessFlags } from "./choose-access.ts";
import { accountKey } from "./key-source.ts";
import { openService, type Service } from "./service.ts";

/** What a command needs to call the service. */
export interface Connection {
  readonly service: Service;
  readonly json: boolean;
  readonly look: () => Look;
  /** Writes the answer to stdout: the service's JSON with --json, otherwise text for people. */
  readonly show: (answer: unknown, forPeople: (look: Look) => string) => void;
  /** Writes a note to stderr. */
  readonly note: (line: string) => void;
  /** Writes a hint for people to stderr. With --json it writes nothing. */
  readonly hint: (line: string) => void;
}

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
  const columns = (stdout.isTTY === true ? stdout.columns : undefined) ?? null;
  const look = (): Look => ({ paint, now: clock.now(), columns });
  const note = (line: string): void => void stderr.write(`${line}\n`);
  return {
    service: openService({ ...access, fetch, version }),
    json,
    look,
    show(answer, forPeople) {
      stdout.write(json ? jsonText(answer ?? {}, 2) : forPeople(look()));
    },
    note,
    hint: (line) => void (json || note(line)),
  };
}
