import type { Caller } from "../domain/access.ts";
import { RequestRefused } from "../domain/refusals.ts";
import type { SecretBox } from "../platform/secret-box.ts";
import type { Store } from "../storage/store.ts";
import type { DeliveryControl } from "./delivery-control.ts";
import { targetNotFound, viewTarget } from "./target-view.ts";
import type { TargetView } from "./target-view.ts";

export interface RemoveTargetOptions {
  readonly store: Pick<Store, "removeTarget">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
  readonly secretBox: SecretBox;
}

export async function removeTarget(
  { store, delivery, secretBox }: RemoveTargetOptions,
  caller: Caller,
  targetId: string,
): Promise<TargetView> {
  const result = await store.removeTarget({ accountId: caller.accountId, targetId });
  if (result.kind === "not-found") throw new RequestRefused(targetNotFound(targetId));
  if (result.kind === "has-scheduled-messages") {
    throw new RequestRefused({
      code: "E-DI-3003",
      message:
        "The target still has scheduled messages. Cancel them or wait until they are delivered, then remove it.",
    });
  }
  delivery.targetChanged(result.target.targetKey);
  return viewTarget(secretBox, result.target);
}
