import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { startFailure } from "../start-failure.ts";

export interface KeptValue {
  readonly value: string;
  /** It was there before this start. */
  readonly isOld: boolean;
}

/** A value in a file of the data directory that only its owner may read, made where it is missing. */
export function keptValue(settings: Settings, name: string, make: () => string): KeptValue {
  const path = join(settings.dataDir, name);
  try {
    mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
    const kept = readIfThere(path);
    if (kept !== undefined) return { value: kept, isOld: true };
    const value = make();
    writeFileSync(path, `${value}\n`, { mode: 0o600, flag: "wx" });
    return { value, isOld: false };
  } catch (error) {
    throw new CommandFailed(exitCodes.refused, startFailure(error, settings));
  }
}

/** Takes the place of whatever was kept under the name. */
export function keepValue(settings: Settings, name: string, value: string): void {
  writeFileSync(join(settings.dataDir, name), `${value}\n`, { mode: 0o600 });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
