import { defaultAccountId } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { NodeView, Store } from "../../storage/store.ts";

/** Nodes belong to the operator, and so to the default account. Other accounts need not know the hosts. */
export function listNodes(
  { store }: { readonly store: Pick<Store, "listNodes"> },
  caller: Caller,
): Promise<NodeView[]> {
  if (caller.accountId !== defaultAccountId) {
    throw new RequestRefused({
      code: codes.insufficientScope,
      message: `Only the account ${defaultAccountId} can list the nodes.`,
    });
  }
  return store.listNodes();
}
