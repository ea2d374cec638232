import type { AuditNote } from "../../../../src/domain/audit.ts";
import { targetChangeTypes } from "../../../../src/domain/events/other-events.ts";
import { unknownHealth } from "../../../../src/domain/events/target-health.ts";
import type { Target } from "../../../../src/domain/target.ts";
import type {
  NewTarget,
  RemoveTargetResult,
  TargetChange,
  TargetRef,
  UpdateTargetResult,
} from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context } from "../database-state.ts";
import { teller } from "./events/tell.ts";

export function targetVerbs(context: Context) {
  const { state } = context;
  const { clock, messages, targets, schedules, events, auditLog } = state;
  const tell = teller(context);

  function put({ failingAfter = null, ...order }: NewTarget): Target {
    const target = { ...order, failingAfter };
    const times = { creationTime: clock.now(), updateTime: clock.now() };
    const before = targets.find(target);
    if (before === undefined) return targets.add({ ...target, ...times, revision: 1 });
    const { targetKey, revision } = before.target;
    before.target = { ...target, ...times, targetKey, revision: revision + 1 };
    before.removalTime = null;
    before.fullAt = 0;
    return before.target;
  }

  return {
    getTarget: (ref: TargetRef): Target | undefined => targets.live(ref)?.target,
    getTargetByKey: (targetKey: number): Target | undefined => targets.liveByKey(targetKey)?.target,

    listTargets: (
      accountId: string,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Target[] =>
      targets
        .ofAccount(accountId)
        .filter(
          ({ removalTime, target }) => removalTime === null && target.targetId > (after ?? ""),
        )
        .map(({ target }) => target)
        .toSorted((one, other) => (one.targetId < other.targetId ? -1 : 1))
        .slice(0, limit),

    createTarget(target: NewTarget, note: AuditNote): Target | "exists" | "no-account" {
      if (liveAccount(state, target.accountId) === undefined) return "no-account";
      if (targets.find(target)?.removalTime === null) return "exists";
      auditLog.write(clock.now(), note);
      const made = put(target);
      tell.target("target.created", made);
      return made;
    },

    updateTarget(
      ref: TargetRef,
      change: TargetChange,
      revision: number | null,
      note: AuditNote,
    ): UpdateTargetResult {
      const kept = targets.live(ref);
      if (kept === undefined) return { kind: "not-found" };
      const before = kept.target;
      if (revision !== null && before.revision !== revision) return { kind: "changed-meanwhile" };
      const updateTime = clock.now();
      auditLog.write(updateTime, note);
      kept.target = { ...before, ...change, updateTime, revision: before.revision + 1 };
      for (const type of targetChangeTypes(before, change)) tell.target(type, kept.target);
      return { kind: "updated", target: kept.target };
    },

    removeTarget(ref: TargetRef, note: AuditNote): RemoveTargetResult {
      const kept = targets.live(ref);
      if (kept === undefined) return { kind: "not-found" };
      const { target } = kept;
      if (messages.scheduledOf(target.targetKey).length > 0) {
        return { kind: "has-scheduled-messages" };
      }
      if (schedules.hasTarget(ref.accountId, ref.targetId)) return { kind: "has-schedules" };
      auditLog.write(clock.now(), note);
      targets.remove(kept, clock.now());
      events.setHealth(target.targetKey, unknownHealth);
      tell.target("target.removed", target);
      return { kind: "removed", target };
    },
  };
}
