import type { AccessTokens, PublicKey } from "../../tokens/access-tokens.ts";

/** What anybody may verify our tokens with. */
export function publishKeys({
  tokens,
}: {
  readonly tokens: Pick<AccessTokens, "publicKeys">;
}): Promise<{ readonly keys: PublicKey[] }> {
  return tokens.publicKeys();
}
