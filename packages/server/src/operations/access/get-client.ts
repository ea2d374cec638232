import type { Caller } from "../../domain/access.ts";
import type { Client } from "../../domain/client.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { clientIdPattern, clientNotFound } from "./client-ref.ts";

export async function getClient(
  { store }: { readonly store: Pick<Store, "getClient"> },
  { accountId }: Caller,
  clientId: string,
): Promise<Client> {
  const sound = clientIdPattern.test(clientId);
  const client = sound ? await store.getClient(accountId, clientId) : undefined;
  if (client === undefined) throw new RequestRefused(clientNotFound);
  return client;
}
