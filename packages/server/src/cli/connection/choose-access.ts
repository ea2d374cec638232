import { readFileSync } from "node:fs";
import { findVariable } from "../../config/environment.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { readOption } from "../input/read-option.ts";
import { readProfiles } from "../profiles/profile-file.ts";
import { checkProfileName, defaultProfile, type Profile } from "../profiles/profile.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { KeySource } from "./key-source.ts";

export const defaultUrl = "http://127.0.0.1:7070";

export interface AccessFlags {
  readonly url?: string;
  readonly key?: string;
  readonly profile?: string;
}

/** Where a command calls, and with which key. */
export interface Access {
  readonly url: string;
  readonly key: string;
  /** What to do if the service refuses the key. */
  readonly advice: string;
}

type Place = Pick<Surroundings, "env" | "homeFolder">;

/** A text, and what an error about it calls it. */
interface Given {
  readonly name: string;
  readonly text: string;
}

/**
 * Flags count first, then the environment, then a profile. A profile that a flag names counts before the
 * environment. The key of a profile is sent to the address of that profile alone.
 */
export function chooseAccess(flags: AccessFlags, place: Place, source: KeySource): Access {
  const ofEnvironment = flags.profile === undefined ? environmentOf(place, source) : {};
  const url = flags.url === undefined ? ofEnvironment.url : { name: "--url", text: flags.url };
  const key = flags.key === undefined ? ofEnvironment.key : { name: "--key", text: flags.key };
  if (url !== undefined) readOption(url.name, url.text, checkUrl);

  const named = profileName(flags, place);
  // The address of a profile that nobody named belongs to its own key.
  if (key !== undefined && (url !== undefined || named === undefined)) {
    return withKey(url?.text ?? defaultUrl, key, source);
  }
  const profile = findProfile(named, place);
  if (profile === undefined) throw new CommandFailed(exitCodes.usage, ...source.missing);
  if (key !== undefined) return withKey(profile.url, key, source);
  return ofProfile(named ?? defaultProfile, profile, url, source);
}

/** The profile that a flag or the environment names. */
export function profileName({ profile }: AccessFlags, { env }: Place): string | undefined {
  if (profile !== undefined) return readOption("--profile", profile, checkProfileName);
  const variable = env["POSTDATE_PROFILE"] || undefined;
  return variable && readOption("POSTDATE_PROFILE", variable, checkProfileName);
}

/** Throws `InvalidValue`. */
export function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new InvalidValue(`must be an http or https address, not "${text}"`);
  }
  // The text may hold a password, so the error does not repeat it.
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidValue("must have no user name, no password, no ? and no #");
  }
  return text;
}

/** Throws `InvalidValue`, which never repeats the key. */
export function checkKey(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  if (text === "") throw new InvalidValue("is empty");
  throw new InvalidValue(
    text.includes("…")
      ? "is an example from the documentation, not a key: replace it by your own"
      : "holds spaces, line breaks or letters that no key has: copy it again",
  );
}

function environmentOf({ env }: Place, source: KeySource): { url?: Given; key?: Given } {
  const url = env["POSTDATE_URL"] || undefined;
  const key = keyFrom(env, source);
  return {
    ...(url !== undefined && { url: { name: "POSTDATE_URL", text: url } }),
    ...(key !== undefined && { key }),
  };
}

function keyFrom(env: Place["env"], source: KeySource): Given | undefined {
  const environment = { env, readFile: (path: string) => readFileSync(path, "utf8") };
  for (const name of source.variables) {
    const variable = findVariable(name, environment);
    if (variable !== undefined) return { name: variable.source, text: variable.text() };
  }
  return undefined;
}

function withKey(url: string, { name, text }: Given, source: KeySource): Access {
  return {
    url,
    key: readOption(name, text, checkKey),
    advice: `Check the key in --key or ${source.variables[0]}.`,
  };
}

/** Undefined only for the profile that nobody named. */
function findProfile(named: string | undefined, place: Place): Profile | undefined {
  const profiles = readProfiles(place);
  const profile = profiles.get(named ?? defaultProfile);
  if (profile !== undefined || named === undefined) return profile;
  const known = [...profiles.keys()];
  throw new CommandFailed(
    exitCodes.usage,
    `There is no profile ${named}. ${known.length === 0 ? "" : `There is ${known.join(", ")}. `}postdate login --profile ${named} makes it.`,
  );
}

function ofProfile(
  name: string,
  profile: Profile,
  url: Given | undefined,
  source: KeySource,
): Access {
  const key = profile[source.inProfile];
  if (key === undefined) {
    const missing = `The profile ${name} has no ${source.called}: postdate login --profile ${name} asks for it.`;
    throw new CommandFailed(exitCodes.usage, missing);
  }
  if (url !== undefined && !isSameAddress(url.text, profile.url)) {
    throw new CommandFailed(
      exitCodes.usage,
      `The key of the profile ${name} is for ${profile.url} and is not sent to ${url.text}.`,
      `Set ${source.variables[0]} or give --key for that address, or leave ${url.name} out.`,
    );
  }
  return {
    url: readOption(`The address of the profile ${name}`, profile.url, checkUrl),
    key: readOption(`The key of the profile ${name}`, key, checkKey),
    advice: `Check the key of the profile ${name}: postdate login --profile ${name} replaces it.`,
  };
}

export function isSameAddress(one: string, other: string): boolean {
  const plain = (text: string): string | undefined => URL.parse(text)?.href.replace(/\/+$/, "");
  return plain(one) === plain(other);
}
