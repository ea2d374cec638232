import type { Caller } from "../../domain/access.ts";
import type { AuditAction, AuditDetail } from "../../domain/audit.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Target } from "../../domain/target.ts";
import type { Random } from "../../platform/random.ts";
import type { Store, TargetChange } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import type { ChangesInTurn } from "../changes/changes-in-turn.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { targetRef } from "./target-ref.ts";
import { targetNotFound } from "./target-view.ts";

export interface ChangeTargetOptions {
  readonly store: Pick<Store, "getTarget" | "updateTarget">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
  readonly random: Random;
  readonly changesInTurn: Pick<ChangesInTurn, "make">;
}

/** How the audit log describes the change. */
export interface TargetAction {
  readonly action: AuditAction;
  readonly detail?: AuditDetail;
}

/** Reads a target, computes the change and applies it only if the target is still what was read. */
export async function changeTarget(
  { store, delivery, random, changesInTurn }: ChangeTargetOptions,
  caller: Caller,
  targetId: string,
  audited: TargetAction,
  changeOf: (target: Target) => Promise<TargetChange> | TargetChange,
): Promise<Target> {
  const { accountId } = caller;
  const ref = targetRef(caller, targetId);
  const note = auditNote(random, caller, { ...audited, accountId, subjectId: targetId });
  return changesInTurn.make(`target ${targetId} of ${accountId}`, async () => {
    const target = await store.getTarget(ref);
    if (target === undefined) throw new RequestRefused(targetNotFound(targetId));
    const change = await changeOf(target);
    if (Object.keys(change).length === 0) return target;
    const result = await store.updateTarget(ref, change, target.revision, note);
    if (result.kind === "not-found") throw new RequestRefused(targetNotFound(targetId));
    if (result.kind !== "updated") return undefined;
    delivery.targetChanged(accountId, result.target.targetKey);
    return result.target;
  });
}
