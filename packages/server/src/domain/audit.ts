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
  "session.created",
  "session.ended",
  "client.created",
  "client.secret-rotated",
  "client.removed",
  "signing-key.created",
  "signing-key.removed",
  "encryption-key.rotated",
  "encryption-key.retired",
  "job.started",
  "job.ended",
  "schedule.created",
  "schedule.updated",
  "schedule.paused",
  "schedule.resumed",
  "schedule.skipped",
  "schedule.unskipped",
  "schedule.triggered",
  "schedule.removed",
  "event-endpoint.created",
  "event-endpoint.updated",
  "event-endpoint.paused",
  "event-endpoint.resumed",
  "event-endpoint.rewound",
  "event-endpoint.secret-rotated",
  "event-endpoint.removed",
] as const;

export type AuditAction = (typeof auditActions)[number];

/**
 * A note for the audit log. The store writes it in the same commit as the change. It never holds a
 * secret.
 */
export interface AuditNote {
  readonly entryId: string;
  readonly actor: Actor;
  /** The request that caused it; null: no request did. */
  readonly requestId: string | null;
  readonly action: AuditAction;
  /** The account that it belongs to; null: it belongs to the service itself. */
  readonly accountId: string | null;
  /** The id of the account, target, key, encryption key, client, job, schedule or event endpoint. */
  readonly subjectId: string;
  /** More about it, such as which fields changed. */
  readonly detail: AuditDetail;
}

export type AuditDetail = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>;

export interface AuditEntry extends AuditNote {
  /** By the store's clock. */
  readonly time: Instant;
}

/** More than 13 months, the same as for usage. */
export const defaultAuditRetentionMs = 400 * 86_400_000;
