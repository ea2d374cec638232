import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readSome } from "../../config/read-settings.ts";
import { flagsOf, settingsOptions } from "../../config/settings-options.ts";
import type { Settings } from "../../config/settings.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { explained } from "../help/help-text.ts";
import { backupText, restoredText } from "../print/backup.ts";
import type { BackupKeeper } from "../surroundings/backup-keeper.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { startProgress } from "../terminal/progress.ts";

const keyFile = "encryption.key";

export function addBackup(program: Command, surroundings: Surroundings): void {
  const command = folderCommand(program, "backup")
    .description("copy a data folder to a file, also while its server runs, and check the copy")
    .addHelpText(
      "after",
      explained(
        "The file has the data of one moment. The encryption key is not in it: keep a copy of that apart.",
        ["postdate backup /backup/monday.db --data-dir /var/lib/postdate", "one file, one moment"],
      ),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const { dataDir, encryptionKey } = folderSettings(command, surroundings);
      const { stdout, stderr } = surroundings;
      const facts = await asking(surroundings, "Cannot back up", (keeper) =>
        showingCopy(surroundings, (onCopied) => keeper.backUp(dataDir, file, onCopied)),
      );
      const backup = { file, bytes: statSync(file).size, ...facts };
      if (options.json === true) {
        stdout.write(`${JSON.stringify(backup, null, 2)}\n`);
        return;
      }
      stdout.write(backupText(backup));
      const key = join(dataDir, keyFile);
      const place = encryptionKey === null && existsSync(key) ? key : "POSTDATE_ENCRYPTION_KEY";
      stderr.write(keyNote(facts.encryptionKeyIds, place));
    });
}

export function addRestore(program: Command, surroundings: Surroundings): void {
  const command = folderCommand(program, "restore")
    .description("check a backup, and put its data into a new data folder")
    .addHelpText(
      "after",
      explained(
        "The folder must hold no data. The key of the data is encryption.key in it, or POSTDATE_ENCRYPTION_KEY.",
        ["postdate restore /backup/monday.db --data-dir ./restored", "then start a server on it"],
      ),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const { dataDir, ...keys } = folderSettings(command, surroundings);
      const { stdout, stderr } = surroundings;
      refuseMissing(file);
      const restored = await asking(surroundings, `Cannot restore ${file}`, (keeper) =>
        keeper.restore({ file, dataDir, ...keys }),
      );
      if (options.json === true) {
        stdout.write(`${JSON.stringify({ dataDir, ...restored }, null, 2)}\n`);
        return;
      }
      stdout.write(restoredText({ dataDir, ...restored }));
      if (!restored.hasKey) {
        stderr.write(
          `No encryption key was there to be checked. Put the ${keyFile} of the data into ${dataDir}, or set POSTDATE_ENCRYPTION_KEY, before you start a server.\n`,
        );
      }
    });
}

/** Later the key may be exchanged, so the note says which one this backup needs. */
function keyNote(keyIds: readonly string[], place: string): string {
  const named = keyIds.length === 0 ? "" : ` (${keyIds.join(" and ")})`;
  return `The encryption key${named} is not in it. Keep a copy of ${place} in another place: without it the backup is of no use.\n`;
}

function folderCommand(program: Command, name: string): Command {
  const command = program
    .command(name)
    .argument("<file>", "the backup")
    .option("--json", "print the outcome as JSON");
  for (const option of settingsOptions({}, ["dataDir"])) command.addOption(option);
  return command;
}

type FolderSettings = Pick<Settings, "dataDir" | "encryptionKey" | "otherEncryptionKeys">;

/** The other settings of a server may be missing. */
function folderSettings(command: Command, { env }: Surroundings): FolderSettings {
  const sources = {
    flags: flagsOf(command.opts()),
    env,
    readFile: (path: string): string => readFileSync(path, "utf8"),
  };
  const names = ["dataDir", "databaseUrl", "encryptionKey", "otherEncryptionKeys"] as const;
  const { values, mistakes } = readSome(names, sources);
  if (mistakes.length > 0) throw new CommandFailed(exitCodes.usage, ...mistakes);
  if (values.databaseUrl !== null && sources.flags["--data-dir"] === undefined) {
    throw new CommandFailed(
      exitCodes.usage,
      "This is for data folders, and POSTDATE_DATABASE_URL is set. Back a database up with the tools of PostgreSQL, such as pg_dump, or name a folder with --data-dir.",
    );
  }
  const { databaseUrl: _, ...settings } = values;
  return settings as FolderSettings;
}

function refuseMissing(file: string): void {
  if (existsSync(file)) return;
  throw new CommandFailed(exitCodes.refused, `There is no file ${file}.`);
}

async function showingCopy<T>(
  surroundings: Surroundings,
  copy: (onCopied: (copied: number, total: number) => void) => Promise<T>,
): Promise<T> {
  let bar: ReturnType<typeof startProgress> | undefined;
  let before = 0;
  try {
    return await copy((copied, total) => {
      bar ??= startProgress(surroundings, { title: ["Copying", "Copied"], total });
      bar.add(copied - before, "pages");
      before = copied;
    });
  } finally {
    bar?.clear();
  }
}

async function asking<T>(
  { openBackups }: Surroundings,
  failed: string,
  ask: (keeper: BackupKeeper) => Promise<T>,
): Promise<T> {
  const keeper = await openBackups();
  try {
    return await ask(keeper);
  } catch (error) {
    if (!(error instanceof Error)) throw new CommandFailed(exitCodes.refused, String(error));
    throw new CommandFailed(exitCodes.refused, `${failed}: ${error.message}`);
  }
}
