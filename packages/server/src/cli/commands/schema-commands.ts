import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { readSome } from "../../config/read-settings.ts";
import { flagsOf, settingsOptions } from "../../config/settings-options.ts";
import { shownPassword } from "../../config/shown-passwords.ts";
import { paintFor } from "../terminal/colours.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { schemaAdvice, schemaCard } from "../print/schema.ts";
import type { SchemaKeeper, StoreAddress } from "../surroundings/schema-keeper.ts";
import { unusableFolder } from "../failures/start-failure.ts";
import { databaseTrouble } from "../failures/store-trouble.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addSchema(program: Command, surroundings: Surroundings): void {
  const schema = program
    .command("schema")
    .description("the schema of the store: look at it, or upgrade it")
    .addHelpText(
      "after",
      examples(
        ["postdate schema status", "what an upgrade would do"],
        ["postdate schema upgrade", "do it; servers with --schema-upgrade manual wait for this"],
      ),
    );
  addStatus(schema, surroundings);
  addUpgrade(schema, surroundings);
}

function addStatus(schema: Command, surroundings: Surroundings): void {
  const command = storeCommand(schema, "status")
    .description("show the schema's version; exit code 1 unless this version can work with it")
    .addHelpText(
      "after",
      examples(["postdate schema status --data-dir /var/lib/postdate", "also while a server runs"]),
    )
    .action(async (options: { json?: boolean }) => {
      const address = addressOf(command, surroundings);
      const state = await asking(surroundings, address, (keeper) => keeper.status(address));
      const { stdout, env } = surroundings;
      stdout.write(
        options.json === true
          ? `${JSON.stringify(state, null, 2)}\n`
          : schemaCard(state, address, paintFor(stdout, env)),
      );
      const advice = schemaAdvice(state);
      if (advice !== undefined) throw new CommandFailed(exitCodes.refused, advice);
    });
}

function addUpgrade(schema: Command, surroundings: Surroundings): void {
  const command = storeCommand(schema, "upgrade")
    .description("upgrade the schema; does nothing if it is up to date")
    .addHelpText(
      "after",
      examples(["postdate schema upgrade --database-url postgres://…", "before the nodes start"]),
    )
    .action(async (options: { json?: boolean }) => {
      const { stdout } = surroundings;
      const address = addressOf(command, surroundings);
      const applied: string[] = [];
      const state = await asking(surroundings, address, (keeper) =>
        keeper.upgrade(address, (step) => {
          applied.push(step);
          if (options.json !== true) stdout.write(`Applied ${step}\n`);
        }),
      );
      stdout.write(
        options.json === true
          ? `${JSON.stringify({ applied, ...state }, null, 2)}\n`
          : `The schema is up to date: ${state.version}\n`,
      );
    });
}

const placeSettings = ["dataDir", "databaseUrl"] as const;

function storeCommand(schema: Command, name: string): Command {
  const command = schema.command(name).option("--json", "print the state as JSON");
  for (const option of settingsOptions({}, placeSettings)) command.addOption(option);
  return command;
}

/** The other settings of a server may be missing. */
function addressOf(command: Command, { env, stderr }: Surroundings): StoreAddress {
  const flags = flagsOf(command.opts());
  const warning = shownPassword("--database-url", flags["--database-url"]);
  if (warning !== undefined) stderr.write(`Warning: ${warning}\n`);
  const readFile = (path: string): string => readFileSync(path, "utf8");
  const { values, mistakes } = readSome(placeSettings, { flags, env, readFile });
  if (mistakes.length > 0) throw new CommandFailed(exitCodes.usage, ...mistakes);
  return values as StoreAddress;
}

async function asking<T>(
  { openSchema }: Surroundings,
  { dataDir, databaseUrl }: StoreAddress,
  ask: (keeper: SchemaKeeper) => Promise<T>,
): Promise<T> {
  const keeper = await openSchema();
  try {
    return await ask(keeper);
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    if (!(error instanceof Error)) throw new CommandFailed(exitCodes.refused, String(error));
    const explained =
      databaseUrl === null ? unusableFolder(error, dataDir) : databaseTrouble(error);
    throw new CommandFailed(exitCodes.refused, explained ?? error.message);
  }
}
