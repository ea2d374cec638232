import type { Caller } from "../domain/access.ts";
import type { NodeView, Store } from "../storage/store.ts";

/** Nodes belong to no account: whoever may read everything may see them. */
export function listNodes(
  { store }: { readonly store: Pick<Store, "listNodes"> },
  _caller: Caller,
): Promise<NodeView[]> {
  return store.listNodes();
}
