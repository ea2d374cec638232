import { check } from "../input-error.ts";
import type { Deadline } from "../transport/deadline.ts";

/** What the client proves itself with. */
export interface Credentials {
  /** The key or token for the next request of a call. */
  current(deadline: Deadline): Promise<string>;
  /** The server refused this one. Returns whether `current` may have a better one. */
  replaces?(refused: string): boolean;
}

/** Some operations need no credential, so a client without a key is of use. */
export function keyCredentials(key: string | undefined): Credentials {
  return {
    async current() {
      check(key, "Give new Postdate() a key, or set POSTDATE_KEY.");
      return key;
    },
  };
}
