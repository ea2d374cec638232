import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { targetRef } from "./target-ref.ts";
import { targetHasSchedules, targetNotFound, viewTarget } from "./target-view.ts";
import type { TargetView, ViewTargetOptions } from "./target-view.ts";

export interface RemoveTargetOptions extends ViewTargetOptions {
  readonly store: Pick<Store, "removeTarget">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
  readonly random: Random;
}

export async function removeTarget(
  options: RemoveTargetOptions,
  caller: Caller,
  targetId: string,
): Promise<TargetView> {
  const { store, delivery, random } = options;
  const { accountId } = caller;
  const ref = targetRef(caller, targetId);
  const note = auditNote(random, caller, {
    action: "target.removed",
    accountId,
    subjectId: targetId,
  });
  const result = await store.removeTarget(ref, note);
  if (result.kind === "not-found") throw new RequestRefused(targetNotFound(targetId));
  if (result.kind === "has-scheduled-messages") {
    throw new RequestRefused({
      code: codes.targetHasMessages,
      message:
        "The target still has scheduled messages. Wait until they are delivered, or remove it with messages=cancel, which cancels them first.",
    });
  }
  if (result.kind === "has-schedules") throw new RequestRefused(targetHasSchedules);
  delivery.targetChanged(caller.accountId, result.target.targetKey);
  return viewTarget(options, result.target);
}
