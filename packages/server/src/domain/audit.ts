import type { Actor } from "./access.ts";
import type { Instant } from "./message.ts";

export const auditActions = [
  "account.created",
  "account.updated",
  "account.suspended",
  "account.resumed",
  "account.removed",
  "target.created",
  "target.updated",
  "target.paused",
  "target.resumed",
  "target.secret-rotated",
  "target.removed",
  "key.created",
  "key.replaced",
  "key.revoked",
  "client.created",
  "client.secret-rotated",
  "client.removed",
  "signing-key.created",
  "signing-key.removed",
] as const;

export type AuditAction = (typeof auditActions)[number];

/** What is written down, in the same commit as what it tells of. It never holds a secret. */
export interface AuditNote {
  readonly entryId: string;
  readonly actor: Actor;
  /** The request by which it happened; null where it was none. */
  readonly requestId: string | null;
  readonly action: AuditAction;
  /** Whose it is; null for what belongs to the service itself. */
  readonly accountId: string | null;
  /** The id of the account, target, key or client. */
  readonly subjectId: string;
  /** Such as which fields were changed. */
  readonly detail: AuditDetail;
}

export type AuditDetail = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>;

export interface AuditEntry extends AuditNote {
  /** By the store's clock. */
  readonly time: Instant;
}

/** Longer than 13 months, as what an account has used. */
export const defaultAuditRetentionMs = 400 * 86_400_000;
