import { hash, timingSafeEqual } from "node:crypto";
import { OAuthRefused } from "../../domain/oauth.ts";
import type { Clock } from "../../platform/clock.ts";
import type { FoundClient, Store } from "../../storage/store.ts";
import { clientIdPattern } from "./client-ref.ts";

export interface AuthenticateClientOptions {
  readonly store: Pick<Store, "findClient">;
  /** The store's: it decides for how long an old secret counts. */
  readonly clock: Pick<Clock, "now">;
}

/** What a client says of itself. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Of the right length, and the hash of nothing that anybody could send. */
const nobodysHash = "0".repeat(64);

/**
 * One answer for a client that does not exist, a wrong secret and an account that is suspended, after
 * the same work: whoever guesses learns nothing from it.
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
      "There is no such client, its secret is another, or its account is suspended.",
    );
  }
  return found;
}

function matches(given: Buffer, hex: string): boolean {
  return timingSafeEqual(given, Buffer.from(hex, "hex"));
}
