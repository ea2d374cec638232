import type { Actor } from "../../domain/access.ts";
import type { AuditAction, AuditDetail, AuditNote } from "../../domain/audit.ts";
import { newAuditEntryId } from "../../platform/audit-ids.ts";
import type { Random } from "../../platform/random.ts";

/** Who acts: a caller, the operator, or the service itself; and by which request. */
export interface AuditedActor {
  readonly actor: Actor;
  readonly requestId: string | null;
}

/** What was done, to what. */
interface AuditedAction {
  readonly action: AuditAction;
  readonly accountId: string | null;
  readonly subjectId: string;
  readonly detail?: AuditDetail;
}

/** The audit entry that the store writes together with the change. */
export function auditNote(random: Random, by: AuditedActor, audited: AuditedAction): AuditNote {
  return {
    ...auditEntryOf(random, by),
    action: audited.action,
    accountId: audited.accountId,
    subjectId: audited.subjectId,
    detail: audited.detail ?? {},
  };
}

/** A new entry, and who is behind it: for a change of which the store knows the rest. */
export function auditEntryOf(
  random: Random,
  { actor, requestId }: AuditedActor,
): Pick<AuditNote, "entryId" | "actor" | "requestId"> {
  return { entryId: newAuditEntryId(random), actor, requestId };
}

/** The actor of what the service does by itself, such as making the root key at its first start. */
export const theService: AuditedActor = {
  actor: { kind: "service", id: "postdate" },
  requestId: null,
};

/** The audit log keeps entries far longer than the store keeps anything else, so it has the beginning of long texts. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}
