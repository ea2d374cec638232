import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { readSettings } from "../config/read-settings.ts";
import type { Settings } from "../config/settings.ts";
import { flagsOf } from "../config/settings-options.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import type { Surroundings } from "./surroundings.ts";

/** The settings of a command that starts a server; every mistake at once where there are any. */
export function serverSettings(
  command: Command,
  { env, stderr }: Surroundings,
  defaults: Partial<Settings> = {},
): Settings {
  const reading = readSettings({
    flags: flagsOf(command.opts()),
    env,
    readFile: (path) => readFileSync(path, "utf8"),
    defaults,
  });
  for (const warning of reading.warnings) stderr.write(`Warning: ${warning}\n`);
  if (reading.kind === "settings") return reading.settings;
  throw new CommandFailed(
    exitCodes.usage,
    "Cannot start:",
    ...reading.mistakes.map((line) => `  ${line}`),
  );
}
