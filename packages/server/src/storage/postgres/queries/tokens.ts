import type { Account } from "../../../domain/account.ts";
import type { Client } from "../../../domain/client.ts";
import type { TokenRef } from "../../store.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Context, WorkContext } from "./context.ts";
import { gatherLookUps } from "../batches/gather-look-ups.ts";
import { readClient } from "./clients.ts";

interface TokenHolder {
  readonly account: Account;
  readonly client: Client | null;
}

export function findTokenHolder({ connections }: Pick<WorkContext, "connections">) {
  return gatherLookUps(
    async (tokens: readonly TokenRef[]): Promise<(TokenHolder | undefined)[]> => {
      const rows = await connections.query({
        name: "find-token-holders",
        text: `SELECT t.index, c.*, ${accountColumns}
          FROM unnest($1::text[], $2::text[], $3::text[])
            WITH ORDINALITY AS t (account_id, client_id, token_id, index)
          JOIN accounts a ON a.account_id = t.account_id AND a.removal_time IS NULL
          LEFT JOIN clients c ON c.client_id = t.client_id AND c.account_id = a.account_id
          WHERE (t.client_id IS NULL OR c.client_id IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM revoked_tokens r
              WHERE r.token_id = t.token_id AND r.expiration_time > now_ms())`,
        values: [
          tokens.map(({ accountId }) => accountId),
          tokens.map(({ clientId }) => clientId),
          tokens.map(({ tokenId }) => tokenId),
        ],
      });
      const byIndex = new Map(rows.map((row) => [row["index"], row]));
      return tokens.map(({ clientId }, index) => {
        const row = byIndex.get(index + 1);
        if (row === undefined) return undefined;
        return { account: readAccount(row), client: clientId === null ? null : readClient(row) };
      });
    },
  );
}

export function revokeToken({ connections }: Context) {
  return async (accountId: string, tokenId: string, expirationTime: number): Promise<void> => {
    await connections.query(
      {
        name: "revoke-token",
        text: `INSERT INTO revoked_tokens (token_id, expiration_time) VALUES ($1, $2)
        ON CONFLICT DO NOTHING`,
        values: [tokenId, expirationTime],
      },
      accountId,
    );
  };
}
