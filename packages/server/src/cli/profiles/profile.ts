import { InvalidValue } from "../../config/invalid-value.ts";

/** A service and the keys to it, under a name, so that commands need not be given them. */
export interface Profile {
  readonly url: string;
  readonly key?: string;
  readonly operatorKey?: string;
}

/** The profile of a command that names none. */
export const defaultProfile = "default";

/** Throws `InvalidValue`. */
export function checkProfileName(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidValue(`must be 1 to 64 of A-Z a-z 0-9 . _ -, not ${JSON.stringify(text)}`);
}

/** What the profile can be used for, without the keys themselves. */
export function keyKindsOf({ key, operatorKey }: Profile): ("account" | "operator")[] {
  return [
    ...(key === undefined ? [] : ["account" as const]),
    ...(operatorKey === undefined ? [] : ["operator" as const]),
  ];
}
