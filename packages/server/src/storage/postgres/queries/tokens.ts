import type { Account } from "../../../domain/account.ts";
import type { Client } from "../../../domain/client.ts";
import type { TokenRef } from "../../store.ts";
import { accountColumns, readAccount } from "../account-rows.ts";
import type { Context } from "../context.ts";
import { readClient } from "./clients.ts";

export function findTokenHolder({ connections }: Context) {
  return async (
    token: TokenRef,
  ): Promise<{ account: Account; client: Client | null } | undefined> => {
    const [row] = await connections.query({
      name: "find-token-holder",
      text: `SELECT c.*, ${accountColumns} FROM accounts a
        LEFT JOIN clients c ON c.client_id = $2 AND c.account_id = a.account_id
        WHERE a.account_id = $1 AND a.removal_time IS NULL
          AND ($2::text IS NULL OR c.client_id IS NOT NULL)
          AND NOT EXISTS (SELECT 1 FROM revoked_tokens r
            WHERE r.token_id = $3 AND r.expiration_time > now_ms())`,
      values: [token.accountId, token.clientId, token.tokenId],
    });
    if (row === undefined) return undefined;
    return { account: readAccount(row), client: token.clientId === null ? null : readClient(row) };
  };
}

export function revokeToken({ connections }: Context) {
  return async (tokenId: string, expirationTime: number): Promise<void> => {
    await connections.query({
      name: "revoke-token",
      text: `INSERT INTO revoked_tokens (token_id, expiration_time) VALUES ($1, $2)
        ON CONFLICT DO NOTHING`,
      values: [tokenId, expirationTime],
    });
  };
}
