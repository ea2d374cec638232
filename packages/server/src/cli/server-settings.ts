import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { readSettings, readSome, type SettingsSources } from "../config/read-settings.ts";
import type { Settings } from "../config/settings.ts";
import { flagsOf } from "../config/settings-options.ts";
import { embeddedNode, sharedNodeName } from "../platform/process-identity.ts";
import type { ProcessIdentity } from "../platform/process-identity.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import { createNotices, type Notices } from "./notices.ts";
import type { Surroundings } from "./surroundings.ts";

export interface ServerSettings {
  readonly settings: Settings;
  readonly identity: ProcessIdentity;
  readonly notices: Notices;
}

/** The settings of a command that starts a server; every mistake at once where there are any. */
export function serverSettings(
  command: Command,
  surroundings: Surroundings,
  defaults: Partial<Settings> = {},
): ServerSettings {
  const sources: SettingsSources = {
    flags: flagsOf(command.opts()),
    env: surroundings.env,
    readFile: (path) => readFileSync(path, "utf8"),
    defaults,
  };
  // Mistakes in the other settings are said in the format that was asked for.
  const { logFormat = "auto", databaseUrl } = readSome(
    ["logFormat", "databaseUrl"],
    sources,
  ).values;
  const identity = identityOf(databaseUrl !== null, surroundings);
  const notices = createNotices({ ...surroundings, format: logFormat, identity });
  const reading = readSettings(sources);
  for (const warning of reading.warnings) notices.warning(warning);
  if (reading.kind === "settings") return { settings: reading.settings, identity, notices };
  const lines = ["Cannot start:", ...reading.mistakes.map((line) => `  ${line}`)];
  notices.failure(lines);
  throw new CommandFailed(exitCodes.usage);
}

function identityOf(
  sharesDatabase: boolean,
  { processId, version, random }: Surroundings,
): ProcessIdentity {
  const node = sharesDatabase ? sharedNodeName(processId, random) : embeddedNode;
  return { node, pid: processId, version };
}
