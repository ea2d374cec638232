import type { Account } from "../../../../src/domain/account.ts";
import type { AuditNote } from "../../../../src/domain/audit.ts";
import { mostClients } from "../../../../src/domain/client.ts";
import type { Client } from "../../../../src/domain/client.ts";
import type { Instant } from "../../../../src/domain/message.ts";
import type {
  AccessStore,
  FoundClient,
  NewClient,
  TokenRef,
} from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context, KeptClient } from "../database-state.ts";

export function clientVerbs({ state }: Context) {
  const { clock, clients, revokedTokens, auditLog } = state;

  function find(accountId: string, clientId: string): KeptClient | undefined {
    const kept = clients.get(clientId);
    return kept?.client.accountId === accountId ? kept : undefined;
  }

  const clientsOf = (accountId: string): Client[] =>
    [...clients.values()]
      .map(({ client }) => client)
      .filter((client) => client.accountId === accountId);

  return {
    createClient(given: NewClient, note: AuditNote): Client | "too-many" | undefined {
      if (liveAccount(state, given.accountId) === undefined) return undefined;
      if (clientsOf(given.accountId).length >= mostClients) return "too-many";
      if (clients.has(given.clientId))
        throw new Error(`there is a client ${given.clientId} already`);
      auditLog.write(clock.now(), note);
      const { secretHash, ...visible } = given;
      const client = { ...visible, creationTime: clock.now(), secretTime: clock.now() };
      clients.set(client.clientId, { client, secretHash, previous: null });
      return client;
    },

    findClient(clientId: string): FoundClient | undefined {
      const kept = clients.get(clientId);
      const account = kept && liveAccount(state, kept.client.accountId);
      if (account === undefined) return undefined;
      const { client, secretHash: current, previous } = kept!;
      const counts = previous !== null && previous.until > clock.now();
      const secrets = {
        current,
        previous: counts ? previous.hash : null,
        previousUntil: counts ? previous.until : null,
      };
      return { client, secrets, account };
    },

    getClient: (accountId: string, clientId: string): Client | undefined =>
      find(accountId, clientId)?.client,

    listClients: (accountId: string): Client[] =>
      clientsOf(accountId).toSorted(
        (one, other) =>
          one.creationTime - other.creationTime || (one.clientId < other.clientId ? -1 : 1),
      ),

    rotateClientSecret(
      rotation: Parameters<AccessStore["rotateClientSecret"]>[0],
      note: AuditNote,
    ): Client | undefined {
      const { accountId, clientId, secretHash, overlapMs } = rotation;
      const kept = find(accountId, clientId);
      if (kept === undefined) return undefined;
      const now = clock.now();
      auditLog.write(now, note);
      const client = { ...kept.client, secretTime: now };
      const previous = overlapMs > 0 ? { hash: kept.secretHash, until: now + overlapMs } : null;
      clients.set(clientId, { client, secretHash, previous });
      return client;
    },

    removeClient(accountId: string, clientId: string, note: AuditNote): Client | undefined {
      const kept = find(accountId, clientId);
      if (kept === undefined) return undefined;
      auditLog.write(clock.now(), note);
      clients.delete(clientId);
      return kept.client;
    },

    findTokenHolder({
      accountId,
      clientId,
      tokenId,
    }: TokenRef): { account: Account; client: Client | null } | undefined {
      const revokedUntil = tokenId === null ? undefined : revokedTokens.get(tokenId);
      if (revokedUntil !== undefined && revokedUntil > clock.now()) return undefined;
      const account = liveAccount(state, accountId);
      const client = clientId === null ? null : find(accountId, clientId)?.client;
      return account === undefined || client === undefined ? undefined : { account, client };
    },

    revokeToken(_accountId: string, tokenId: string, expirationTime: Instant): void {
      if (!revokedTokens.has(tokenId)) revokedTokens.set(tokenId, expirationTime);
    },
  };
}
