import type { Scope } from "./access.ts";
import type { Instant } from "./message.ts";

/** How many clients an account may have. All clients are listed at once. */
export const mostClients = 1_000;

/** An OAuth client of an account. Its secret is shown once and stored as a hash. */
export interface Client {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  /** The widest scopes that a token of this client can have. */
  readonly scopes: readonly Scope[];
  readonly creationTime: Instant;
  /** When its current secret was made. */
  readonly secretTime: Instant;
}

/** SHA-256 of the accepted secrets, in hex. */
export interface ClientSecrets {
  readonly current: string;
  /**
   * The secret before the current one, while both are accepted. A rotation in that time ends it at
   * once.
   */
  readonly previous: string | null;
  readonly previousUntil: Instant | null;
}
