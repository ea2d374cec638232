import { join } from "node:path";
import { existsSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { findVariable } from "../../config/environment.ts";
import { databaseUrl } from "../../config/kinds-of-value.ts";
import { shownPassword } from "../../config/shown-passwords.ts";
import { paintFor } from "../terminal/colours.ts";
import type { ComparedTable, MigrationResult } from "../surroundings/data-migration.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { explained } from "../help/help-text.ts";
import { comparedRows, databaseLocation, wordsOf } from "../print/migration.ts";
import { showMigration } from "../print/migration-progress.ts";
import { readOption } from "../input/read-option.ts";
import { awaitStopSignal } from "../server/stop-signals.ts";
import { databaseTrouble, folderTrouble } from "../failures/store-trouble.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface MigrateOptions {
  readonly from: string;
  readonly to?: string;
  readonly json?: boolean;
}

export function addMigrate(program: Command, surroundings: Surroundings): void {
  program
    .command("migrate")
    .description("copy everything from a data folder into an empty PostgreSQL, and check it")
    .requiredOption("--from <path>", "the data folder; its server must be stopped")
    .option("--to <url>", "the database (POSTDATE_DATABASE_URL), empty or half migrated")
    .option("--json", "print the outcome as JSON")
    .addHelpText(
      "after",
      explained(
        "It may be interrupted at any time: run it again, and it goes on. The data folder is not changed.",
        [
          "postdate migrate --from ./postdate-data --to postgres://postdate@db/postdate",
          "PGPASSWORD may hold the password",
        ],
      ),
    )
    .action(async (options: MigrateOptions) => {
      refuseDatabaseAsSource(options.from);
      const to = destinationOf(options, surroundings);
      const { stdout, stderr, env } = surroundings;
      const warning = shownPassword("--to", options.to);
      if (warning !== undefined) stderr.write(`Warning: ${warning}\n`);
      const result = await run(options.from, to, surroundings);
      if (result.kind === "stopped") {
        throw new CommandFailed(
          exitCodes.refused,
          "Stopped. What was copied stays: run the same command again, and it goes on from there.",
        );
      }
      stdout.write(
        options.json === true
          ? `${JSON.stringify({ migrated: result.kind === "migrated", tables: result.tables }, null, 2)}\n`
          : comparedRows(result.tables, paintFor(stdout, env)),
      );
      if (result.kind === "different") throw differing(result.tables);
      stderr.write(nextSteps(options.from));
    });
}

/** The value may hold a password, so the error does not repeat it. */
function refuseDatabaseAsSource(from: string): void {
  if (!/^postgres(?:ql)?:/i.test(from)) return;
  throw new CommandFailed(
    exitCodes.usage,
    "--from names the data folder and --to the database; here --from is a database. A database cannot be migrated back.",
  );
}

function destinationOf({ to }: MigrateOptions, { env }: Surroundings): string {
  if (to !== undefined) return readOption("--to", to, databaseUrl.read);
  const readFile = (path: string): string => readFileSync(path, "utf8");
  const variable = findVariable("POSTDATE_DATABASE_URL", { env, readFile });
  if (variable !== undefined) return readOption(variable.source, variable.text(), databaseUrl.read);
  throw new CommandFailed(
    exitCodes.usage,
    "The destination is missing: name the database with --to postgres://… or in POSTDATE_DATABASE_URL.",
  );
}

async function run(from: string, to: string, surroundings: Surroundings): Promise<MigrationResult> {
  const { stderr, migrateData } = surroundings;
  stderr.write(`Migrating ${from} to ${databaseLocation(to)}\n`);
  const screen = showMigration(surroundings);
  const stopping = new AbortController();
  const stop = awaitStopSignal(surroundings, (line) => void screen.write(`${line}\n`));
  void stop.requested.then(() => stopping.abort());
  try {
    const { signal } = stopping;
    const result = await migrateData({ from, to, signal, onEvent: screen.onEvent });
    if (result.kind !== "stopped") screen.finish();
    return result;
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(exitCodes.refused, `Cannot migrate: ${reasonOf(error, from)}`);
  } finally {
    screen.clear();
    stop.release();
  }
}

function reasonOf(error: unknown, from: string): string {
  if (!(error instanceof Error)) return String(error);
  const ofFolder = folderTrouble(error);
  return ofFolder === undefined
    ? (databaseTrouble(error) ?? error.message)
    : `the data folder ${from} cannot be used: ${ofFolder}. Your user must be able to read it, and to lock it against servers.`;
}

function differing(tables: readonly ComparedTable[]): CommandFailed {
  const lines = tables
    .filter(({ equal }) => !equal)
    .map(({ kind, firstDifference }) => {
      const where = firstDifference === null ? "" : `: the first is ${firstDifference.join(", ")}`;
      return `  ${wordsOf(kind)}${where}`;
    });
  return new CommandFailed(
    exitCodes.refused,
    "The database does not hold what the data folder holds. These differ:",
    ...lines,
    "No server starts on it. Make an empty database and migrate into that one; the data folder is as it was.",
  );
}

function nextSteps(from: string): string {
  const keyFile = join(from, "encryption.key");
  const key = existsSync(keyFile)
    ? `the key in ${keyFile}`
    : "the key that the server of the data folder was given";
  return `
Everything is in the database, and the data folder is as it was. Now:
  1. Set POSTDATE_ENCRYPTION_KEY on every node to ${key}.
     A node with another key refuses to start.
  2. Start the nodes with --database-url.
  3. Start no server on ${from} again: it would deliver everything once more.
`;
}
