import { covers, scopes as allScopes } from "../../domain/access.ts";
import type { Scope } from "../../domain/access.ts";
import { OAuthRefused } from "../../domain/oauth.ts";
import type { AccessTokens, IssuedToken } from "../../tokens/access-tokens.ts";
import { authenticateClient } from "./authenticate-client.ts";
import type { AuthenticateClientOptions, ClientCredentials } from "./authenticate-client.ts";

export interface IssueTokenOptions extends AuthenticateClientOptions {
  readonly tokens: Pick<AccessTokens, "issue">;
}

export interface GivenGrant {
  readonly grantType: string;
  /** Names separated by single spaces. Undefined for all scopes of the client. */
  readonly scope: string | undefined;
}

export interface GrantedToken extends IssuedToken {
  readonly scopes: readonly Scope[];
}

/** The client credentials grant of RFC 6749, section 4.4. */
export async function issueToken(
  { store, clock, tokens }: IssueTokenOptions,
  credentials: ClientCredentials,
  given: GivenGrant,
): Promise<GrantedToken> {
  const { client } = await authenticateClient({ store, clock }, credentials);
  if (given.grantType !== "client_credentials") {
    throw new OAuthRefused(
      "unsupported_grant_type",
      "Only grant_type=client_credentials is supported.",
    );
  }
  const scopes =
    given.scope === undefined ? client.scopes : scopesAsked(client.scopes, given.scope);
  const { accountId, clientId } = client;
  return { ...(await tokens.issue({ accountId, clientId, scopes })), scopes };
}

/** Grants exactly what the client asks for, or refuses. A token with less would fail later, at a call. */
function scopesAsked(granted: readonly Scope[], asked: string): Scope[] {
  const names = asked.split(" ");
  const scopes = allScopes.filter((scope) => names.includes(scope));
  if (new Set(names).size !== scopes.length) {
    throw new OAuthRefused(
      "invalid_scope",
      `scope must be a list of ${allScopes.join(", ")}, separated by single spaces.`,
    );
  }
  const beyond = scopes.filter((scope) => !covers(granted, scope));
  if (beyond.length > 0) {
    throw new OAuthRefused(
      "invalid_scope",
      `This client does not have ${beyond.join(", ")}. It has ${granted.join(", ")}.`,
    );
  }
  return scopes;
}
