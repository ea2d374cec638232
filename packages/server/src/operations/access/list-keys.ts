import type { AccessKey, Caller } from "../../domain/access.ts";
import type { Store } from "../../storage/store.ts";

export function listKeys(
  { store }: { readonly store: Pick<Store, "listKeys"> },
  caller: Caller,
): Promise<AccessKey[]> {
  return store.listKeys(caller.accountId);
}
