import type { Caller } from "../../domain/access.ts";
import type { Client } from "../../domain/client.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { clientIdPattern, clientNotFound } from "./client-ref.ts";

export interface RemoveClientOptions {
  readonly store: Pick<Store, "removeClient">;
  readonly random: Random;
  /** Resolves when no node accepts a token of the client any more. */
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

export async function removeClient(
  { store, random, credentialsChanged }: RemoveClientOptions,
  caller: Caller,
  clientId: string,
): Promise<Client> {
  if (!clientIdPattern.test(clientId)) throw new RequestRefused(clientNotFound);
  const { accountId } = caller;
  const note = auditNote(random, caller, {
    action: "client.removed",
    accountId,
    subjectId: clientId,
  });
  const removed = await store.removeClient(accountId, clientId, note);
  await credentialsChanged(accountId);
  if (removed === undefined) throw new RequestRefused(clientNotFound);
  return removed;
}
