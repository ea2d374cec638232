import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";
import { targetRef } from "./target-ref.ts";
import { targetNotFound, viewTarget } from "./target-view.ts";
import type { TargetView, ViewTargetOptions } from "./target-view.ts";

export interface GetTargetOptions extends ViewTargetOptions {
  readonly store: Pick<Store, "getTarget">;
}

export async function getTarget(
  options: GetTargetOptions,
  caller: Caller,
  targetId: string,
): Promise<TargetView> {
  const target = await options.store.getTarget(targetRef(caller, targetId));
  if (target === undefined) throw new RequestRefused(targetNotFound(targetId));
  return viewTarget(options, target);
}
