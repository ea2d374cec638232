import type { Operator } from "../../domain/access.ts";
import type { AccessTokens, SigningKey } from "../../tokens/access-tokens.ts";

export type { SigningKey } from "../../tokens/access-tokens.ts";

export function listSigningKeys(
  { tokens }: { readonly tokens: Pick<AccessTokens, "listSigningKeys"> },
  _operator: Operator,
): Promise<SigningKey[]> {
  return tokens.listSigningKeys();
}
