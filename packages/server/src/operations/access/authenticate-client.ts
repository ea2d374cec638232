import { hash, timingSafeEqual } from "node:crypto";
import { OAuthRefused } from "../../domain/oauth.ts";
import type { Clock } from "../../platform/clock.ts";
import type { FoundClient, Store } from "../../storage/store.ts";
import { clientIdPattern } from "./client-ref.ts";

export interface AuthenticateClientOptions {
  readonly store: Pick<Store, "findClient">;
  /** The store's clock. It decides how long an old secret is valid. */
  readonly clock: Pick<Clock, "now">;
}

/** The id and secret that a client sent. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Has the length of a hash, but no text that a client could send has this hash. */
const nobodysHash = "0".repeat(64);

/**
 * Gives one answer for an unknown client, a wrong secret and a suspended account, after the same work. So
 * an attacker who guesses learns nothing from the answer.
 */
export async function authenticateClient(
  { store, clock }: AuthenticateClientOptions,
  { clientId, clientSecret }: ClientCredentials,
): Promise<FoundClient> {
  const found = clientIdPattern.test(clientId) ? await store.findClient(clientId) : undefined;
  const { current, previous, previousUntil } = found?.secrets ?? {
    current: nobodysHash,
    previous: null,
    previousUntil: null,
  };
  const given = hash("sha256", clientSecret, "buffer");
  const fitsCurrent = matches(given, current);
  const fitsPrevious = matches(given, previous ?? nobodysHash);
  const previousCounts = previousUntil !== null && clock.now() < previousUntil;
  const fits = fitsCurrent || (fitsPrevious && previousCounts);
  if (found === undefined || !fits || found.account.state !== "ACTIVE") {
    throw new OAuthRefused(
      "invalid_client",
      "The client does not exist, the secret is wrong, or the account is suspended.",
    );
  }
  return found;
}

function matches(given: Buffer, hex: string): boolean {
  return timingSafeEqual(given, Buffer.from(hex, "hex"));
}
