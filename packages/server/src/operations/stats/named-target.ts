import { RequestRefused } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { targetNotFound } from "../targets/target-view.ts";

/** Zeros for a target that does not exist would hide a mistake. */
export async function refuseMissingTarget(
  store: Pick<Store, "getTarget">,
  accountId: string,
  targetId: string | null,
): Promise<void> {
  if (targetId === null || (await store.getTarget({ accountId, targetId })) !== undefined) return;
  throw new RequestRefused(targetNotFound(targetId));
}
