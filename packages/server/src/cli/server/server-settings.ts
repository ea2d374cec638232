import { readFileSync } from "node:fs";
import type { Command, Option } from "commander";
import { readSettings, readSome, type SettingsSources } from "../../config/read-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { flagsOf } from "../../config/settings-options.ts";
import { embeddedNode, sharedNodeName } from "../../platform/process-identity.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { createNotices, type Notices } from "./notices.ts";
import { strayArguments, withStrayArguments } from "../input/stray-arguments.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface ServerSettings {
  readonly settings: Settings;
  readonly identity: ProcessIdentity;
  readonly notices: Notices;
}

/** Reads the settings of a command that starts a server. Reports all mistakes at once. */
export function serverSettings(
  command: Command,
  surroundings: Surroundings,
  defaults: Partial<Settings> = {},
): ServerSettings {
  const sources = sourcesOf(command, surroundings, defaults);
  const { identity, notices } = firstNotices(sources, surroundings);
  const reading = readSettings(sources);
  for (const warning of reading.warnings) notices.warning(warning);
  const strays = strayArguments(command);
  if (reading.kind === "settings" && strays.length === 0) {
    return { settings: reading.settings, identity, notices };
  }
  const mistakes = [...strays, ...(reading.kind === "mistakes" ? reading.mistakes : [])];
  notices.mistakes(mistakes);
  const problems = mistakes.map((message) => ({ code: "usage", message }));
  throw new CommandFailed(exitCodes.usage).because(problems);
}

/** Adds the settings as options. Usage errors also follow the format of the log. */
export function withServerSettings(
  command: Command,
  surroundings: Surroundings,
  options: readonly Option[],
): void {
  withStrayArguments(command);
  for (const option of options) command.addOption(option);
  const inherited = command.configureOutput();
  const noticesNow = (): Notices =>
    firstNotices(sourcesOf(command, surroundings), surroundings).notices;
  command.configureOutput({
    outputError(text) {
      const notices = noticesNow();
      if (notices.areJson) notices.failure([text.replace(/^error: /, "")]);
      else inherited.writeErr?.(text);
    },
    // Writes the hint about --help that follows an error.
    writeErr: (text) => void (noticesNow().areJson || inherited.writeErr?.(text)),
  });
}

function sourcesOf(
  command: Command,
  { env }: Surroundings,
  defaults: Partial<Settings> = {},
): SettingsSources {
  const readFile = (path: string): string => readFileSync(path, "utf8");
  return { flags: flagsOf(command.opts()), env, readFile, defaults };
}

/** Reads the log format first, so that mistakes in other settings are reported in that format. */
function firstNotices(
  sources: SettingsSources,
  surroundings: Surroundings,
): Pick<ServerSettings, "identity" | "notices"> {
  const { values } = readSome(["logFormat", "databaseUrl"], sources);
  const identity = identityOf(values.databaseUrl !== null, surroundings);
  const format = values.logFormat ?? "auto";
  return { identity, notices: createNotices({ ...surroundings, format, identity }) };
}

function identityOf(
  sharesDatabase: boolean,
  { processId, version, random }: Surroundings,
): ProcessIdentity {
  const node = sharesDatabase ? sharedNodeName(processId, random) : embeddedNode;
  return { node, pid: processId, version };
}
