import type { Credential, Scope } from "../../domain/access.ts";
import { covers } from "../../domain/access.ts";
import type { Store } from "../../storage/store.ts";
import type { AccessTokens } from "../../tokens/access-tokens.ts";
import { hashKey, keyPrefix } from "./create-key.ts";
import { sessionPrefix } from "./session-id.ts";

export interface FindCredentialOptions {
  readonly store: Pick<Store, "findKey" | "findSession" | "findTokenHolder">;
  readonly tokens: Pick<AccessTokens, "verify">;
}

/** Looks up what an API key, a session or an access token allows now. */
export function findCredential(
  options: FindCredentialOptions,
  bearer: string,
): Promise<Credential | undefined> {
  if (bearer.startsWith(keyPrefix)) return findByKey(options, bearer);
  if (bearer.startsWith(sessionPrefix)) return findBySession(options, bearer);
  return findByToken(options, bearer);
}

async function findByKey(
  { store }: FindCredentialOptions,
  key: string,
): Promise<Credential | undefined> {
  const found = await store.findKey(hashKey(key));
  return (
    found && {
      account: found.account,
      scopes: found.key.scopes,
      actor: { kind: "key", id: found.key.keyId },
      expirationTime: null,
    }
  );
}

/** What a session does, its key does. */
async function findBySession(
  { store }: FindCredentialOptions,
  sessionId: string,
): Promise<Credential | undefined> {
  const found = await store.findSession(hashKey(sessionId));
  return (
    found && {
      account: found.account,
      scopes: found.session.scopes,
      actor: { kind: "key", id: found.session.keyId },
      expirationTime: found.session.expirationTime,
    }
  );
}

async function findByToken(
  { store, tokens }: FindCredentialOptions,
  token: string,
): Promise<Credential | undefined> {
  const verified = await tokens.verify(token);
  const holder = verified && (await store.findTokenHolder(verified));
  if (holder === undefined) return undefined;
  const { client } = holder;
  return {
    account: holder.account,
    scopes: client === null ? verified!.scopes : within(client.scopes, verified!.scopes),
    actor:
      client === null
        ? { kind: "subject", id: verified!.subject }
        : { kind: "client", id: client.clientId },
    expirationTime: verified!.expirationTime,
  };
}

/** The client may have lost scopes since the token was issued. The token then loses them too. */
function within(granted: readonly Scope[], asked: readonly Scope[]): Scope[] {
  return asked.filter((scope) => covers(granted, scope));
}
