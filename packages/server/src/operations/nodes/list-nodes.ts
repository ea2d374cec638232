import { defaultAccountId } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { NodeView, Store } from "../../storage/store.ts";

/** Nodes belong to whoever runs them, and so to the default account: others need not know of hosts. */
export function listNodes(
  { store }: { readonly store: Pick<Store, "listNodes"> },
  caller: Caller,
): Promise<NodeView[]> {
  if (caller.accountId !== defaultAccountId) {
    throw new RequestRefused({
      code: codes.insufficientScope,
      message: `Nodes are shown to the account ${defaultAccountId} alone.`,
    });
  }
  return store.listNodes();
}
