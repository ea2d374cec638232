import { InputError } from "../input-error.ts";

/** What the client proves itself with. */
export interface Credentials {
  /** The key or token for the next request. */
  current(): Promise<string>;
  /** The server refused this one. Returns whether `current` may have a better one. */
  replaces(refused: string): boolean;
}

export function keyCredentials(key: string): Credentials {
  return { current: () => Promise.resolve(key), replaces: () => false };
}

/** Some operations need no credential, so a client without one is of use. */
export function noCredentials(): Credentials {
  return {
    current: () =>
      Promise.reject(
        new InputError("No key. Give new Postdate() a key, or set the variable POSTDATE_KEY."),
      ),
    replaces: () => false,
  };
}
