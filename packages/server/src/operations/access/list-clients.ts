import type { Caller } from "../../domain/access.ts";
import type { Client } from "../../domain/client.ts";
import type { Store } from "../../storage/store.ts";

export function listClients(
  { store }: { readonly store: Pick<Store, "listClients"> },
  caller: Caller,
): Promise<Client[]> {
  return store.listClients(caller.accountId);
}
