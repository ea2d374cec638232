import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import { targetRef } from "./target-ref.ts";
import { targetNotFound, viewTarget } from "./target-view.ts";
import type { TargetView } from "./target-view.ts";

export interface GetTargetOptions {
  readonly store: Pick<Store, "getTarget">;
  readonly secretBox: SecretBox;
}

export async function getTarget(
  { store, secretBox }: GetTargetOptions,
  caller: Caller,
  targetId: string,
): Promise<TargetView> {
  const target = await store.getTarget(targetRef(caller, targetId));
  if (target === undefined) throw new RequestRefused(targetNotFound(targetId));
  return viewTarget(secretBox, target);
}
