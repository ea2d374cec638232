import type { Store } from "../../storage/store.ts";
import type { AccessTokens } from "../../tokens/access-tokens.ts";
import { authenticateClient } from "./authenticate-client.ts";
import type { AuthenticateClientOptions, ClientCredentials } from "./authenticate-client.ts";

export interface RevokeTokenOptions extends AuthenticateClientOptions {
  readonly store: Pick<Store, "findClient" | "revokeToken">;
  readonly tokens: Pick<AccessTokens, "verifyOwn">;
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

/** A node's estimate of the store's clock may be a little behind. The entry must outlive the token there too. */
const marginMs = 60_000;

/**
 * Revokes a token as in RFC 7009. The answer is the same for a token of another client and for an invalid
 * one: this client cannot use either, and does not learn which it was.
 */
export async function revokeToken(
  { store, clock, tokens, credentialsChanged }: RevokeTokenOptions,
  credentials: ClientCredentials,
  token: string,
): Promise<void> {
  const { client } = await authenticateClient({ store, clock }, credentials);
  const verified = await tokens.verifyOwn(token);
  if (verified?.clientId !== client.clientId) return;
  const { accountId } = client;
  await store.revokeToken(accountId, verified.tokenId, verified.expirationTime + marginMs);
  await credentialsChanged(accountId);
}
