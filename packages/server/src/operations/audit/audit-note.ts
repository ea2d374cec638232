import type { Actor } from "../../domain/access.ts";
import type { AuditAction, AuditDetail, AuditNote } from "../../domain/audit.ts";
import { encodeBase32 } from "../../platform/base32.ts";
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
    entryId: `aud_${encodeBase32(random.bytes(13)).slice(-20)}`,
    actor: by.actor,
    requestId: by.requestId,
    action: audited.action,
    accountId: audited.accountId,
    subjectId: audited.subjectId,
    detail: audited.detail ?? {},
  };
}

/** The actor of what the service does by itself, such as making the root key at its first start. */
export const theService: AuditedActor = {
  actor: { kind: "service", id: "postdate" },
  requestId: null,
};
