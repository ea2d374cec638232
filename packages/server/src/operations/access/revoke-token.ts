import type { Store } from "../../storage/store.ts";
import type { AccessTokens } from "../../tokens/access-tokens.ts";
import { authenticateClient } from "./authenticate-client.ts";
import type { AuthenticateClientOptions, ClientCredentials } from "./authenticate-client.ts";

export interface RevokeTokenOptions extends AuthenticateClientOptions {
  readonly store: Pick<Store, "findClient" | "revokeToken">;
  readonly tokens: Pick<AccessTokens, "verifyOwn">;
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

/** A node's idea of the store's clock may be a little behind: nothing comes back for that long. */
const marginMs = 60_000;

/**
 * RFC 7009. A token that is not this client's, or none at all, opens nothing for whoever sent it: that
 * is what they asked for, so they are not told which it was.
 */
export async function revokeToken(
  { store, clock, tokens, credentialsChanged }: RevokeTokenOptions,
  credentials: ClientCredentials,
  token: string,
): Promise<void> {
  const { client } = await authenticateClient({ store, clock }, credentials);
  const verified = await tokens.verifyOwn(token);
  if (verified?.clientId !== client.clientId) return;
  await store.revokeToken(verified.tokenId, verified.expirationTime + marginMs);
  await credentialsChanged(client.accountId);
}
