import type { Scope } from "./access.ts";
import type { Instant } from "./message.ts";

/** How many clients an account may have. They are listed in one piece. */
export const mostClients = 1_000;

/** An OAuth client of an account; its secret is shown once and kept hashed. */
export interface Client {
  readonly clientId: string;
  readonly accountId: string;
  readonly name: string;
  /** The most that a token of it can carry. */
  readonly scopes: readonly Scope[];
  readonly creationTime: Instant;
  /** When the secret it has now was made. */
  readonly secretTime: Instant;
}

/** SHA-256 of the secrets that open it, in hex. */
export interface ClientSecrets {
  readonly current: string;
  /** The one before, while both count; a rotation in that time ends it, whatever was left of it. */
  readonly previous: string | null;
  readonly previousUntil: Instant | null;
}
