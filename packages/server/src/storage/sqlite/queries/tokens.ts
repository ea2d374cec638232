import type { Account } from "../../../domain/account.ts";
import type { Client } from "../../../domain/client.ts";
import type { TokenRef } from "../../store.ts";
import type { Context } from "./context.ts";
import { getAccount } from "./accounts.ts";
import { getClient } from "./clients.ts";

export function findTokenHolder(context: Context) {
  const { db, clock } = context;
  const account = getAccount(context);
  const client = getClient(context);
  const selectRevoked = db.prepare(
    "SELECT 1 FROM revoked_tokens WHERE token_id = ? AND expiration_time > ?",
  );
  return (token: TokenRef): { account: Account; client: Client | null } | undefined => {
    const { accountId, clientId, tokenId } = token;
    if (tokenId !== null && selectRevoked.get(tokenId, clock.now()) !== undefined) return undefined;
    const ofAccount = account(accountId);
    const ofClient = clientId === null ? null : client(accountId, clientId);
    if (ofAccount === undefined || ofClient === undefined) return undefined;
    return { account: ofAccount, client: ofClient };
  };
}

export function revokeToken({ db }: Context) {
  const insert = db.prepare(
    "INSERT INTO revoked_tokens (token_id, expiration_time) VALUES (?, ?) ON CONFLICT DO NOTHING",
  );
  return (_accountId: string, tokenId: string, expirationTime: number): void => {
    insert.run(tokenId, expirationTime);
  };
}
