import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import {
  checkFolderIsOurs,
  createSecretFile,
  readSecretFile,
  replaceSecretFile,
} from "../../platform/secret-files.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { startFailure } from "../failures/start-failure.ts";

export interface KeptValue {
  readonly value: string;
  /** The value existed before this start. */
  readonly isOld: boolean;
}

/**
 * A value in a file of the data directory that only its owner may read. Makes the value if it is
 * missing.
 */
export function keptValue(settings: Settings, name: string, make: () => string): KeptValue {
  const path = join(settings.dataDir, name);
  try {
    mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
    checkFolderIsOurs(settings.dataDir);
    const kept = readSecretFile(path)?.trim();
    if (kept) return { value: kept, isOld: true };
    const value = make();
    if (kept === undefined) createSecretFile(path, `${value}\n`);
    else replaceSecretFile(path, `${value}\n`);
    return { value, isOld: false };
  } catch (error) {
    throw new CommandFailed(exitCodes.refused, startFailure(error, settings));
  }
}

/** Replaces the value with this name. */
export function keepValue(settings: Settings, name: string, value: string): void {
  replaceSecretFile(join(settings.dataDir, name), `${value}\n`);
}
