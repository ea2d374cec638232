import type { AccessTokens, PublicKey } from "../../tokens/access-tokens.ts";

/** The public keys with which anyone can verify the tokens of this service. */
export function publishKeys({
  tokens,
}: {
  readonly tokens: Pick<AccessTokens, "publicKeys">;
}): Promise<{ readonly keys: PublicKey[] }> {
  return tokens.publicKeys();
}
