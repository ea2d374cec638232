import { mkdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileTrouble } from "../../config/file-trouble.ts";
import {
  checkFolderIsOurs,
  readSecretFile,
  replaceSecretFile,
} from "../../platform/secret-files.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { Profile } from "./profile.ts";

export type Profiles = ReadonlyMap<string, Profile>;

type Home = Pick<Surroundings, "env" | "homeFolder">;

export function profileFile({ env, homeFolder }: Home): string {
  // The specification of XDG says to ignore a relative path.
  const configured = [env["XDG_CONFIG_HOME"], env["APPDATA"]].find(
    (path) => path !== undefined && isAbsolute(path),
  );
  return join(configured ?? join(homeFolder, ".config"), "postdate", "profiles.json");
}

/** Empty if there is no file yet. Its keys never appear in an error. */
export function readProfiles(home: Home): Profiles {
  const path = profileFile(home);
  const text = atFile(path, () => readSecretFile(path, { onlyOwner: true }));
  if (text === undefined) return new Map();
  const profiles = profilesIn(text);
  if (profiles !== undefined) return profiles;
  throw new CommandFailed(
    exitCodes.usage,
    `${path} does not hold profiles. Correct it, or remove it and log in again: postdate login`,
  );
}

/** Replaces the file as a whole. Only its owner can read it. */
export function writeProfiles(profiles: Profiles, home: Home): void {
  const path = profileFile(home);
  const content = { profiles: Object.fromEntries(profiles) };
  atFile(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    checkFolderIsOurs(dirname(path));
    replaceSecretFile(path, `${JSON.stringify(content, null, 2)}\n`);
  });
}

function atFile<Result>(path: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    const isOfSystem = error instanceof Error && "syscall" in error;
    const message = isOfSystem
      ? `Cannot use ${path}: ${fileTrouble(error)}.`
      : String(messageOf(error));
    throw new CommandFailed(exitCodes.usage, message);
  }
}

function messageOf(error: unknown): unknown {
  return error instanceof Error ? error.message : error;
}

function profilesIn(text: string): Profiles | undefined {
  const { profiles } = asRecord(parsed(text)) ?? {};
  const entries = Object.entries(asRecord(profiles) ?? { "": undefined });
  return entries.every(isNamedProfile) ? new Map(entries) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Record<string, unknown>) : undefined;
}

function isNamedProfile(entry: [string, unknown]): entry is [string, Profile] {
  const { url, key, operatorKey } = asRecord(entry[1]) ?? {};
  return (
    typeof url === "string" &&
    [key, operatorKey].every((each) => each === undefined || typeof each === "string")
  );
}
