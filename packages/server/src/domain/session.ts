import type { Scope } from "./access.ts";
import type { Instant } from "./message.ts";

/** What a browser has after it signed in with an API key. It allows what the key allows, and ends with it. */
export interface Session {
  readonly accountId: string;
  /** The key that signed in. */
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly creationTime: Instant;
  readonly expirationTime: Instant;
}

/** A working day: whoever comes back the next morning signs in again. */
export const sessionLifetimeMs = 12 * 3_600_000;

/** How many sessions one key may have at a time. One more ends the oldest, so nobody is locked out. */
export const mostSessionsOfKey = 20;

/** What a link of `postdate dev` signs in with: whoever opens it first, and nobody after that. */
export interface SignInLink {
  readonly code: string;
  /** The API key that the code stands for. */
  readonly key: string;
}
