/**
 * The port for moving all data from one store into another. This file is the only list of what is
 * moved, as kinds of rows with their columns. The adapters build their statements from it, so both
 * sides mean the same columns in the same order. A test compares the list with both schemas.
 *
 * Claims, nodes, holders of jobs, waiting changes and rate buckets are not moved: they concern only the
 * moment. Activity is not moved either: attempts are, and its curves begin anew.
 * Sessions of browsers are not moved either: after a move, people sign in again. An exchange of the encryption key
 * that is under way is not moved, and is to be begun again: what each value is sealed with says what is left to do.
 */
export interface TransferSource {
  readonly identity: SourceIdentity;
  count(kind: TransferKind): number;
  /** In the order of the kind's key, after `after`, one row at a time, however many there are. */
  rows(kind: TransferKind, after: RowKey | null): Iterable<TransferRow>;
  close(): void;
}

export interface TransferDestination {
  /** Begins a transfer, or resumes this source's. Refuses a store that holds anything else. */
  begin(identity: SourceIdentity): Promise<TransferProgress>;
  /** Writes the rows and the kind's progress in one commit. */
  write(kind: TransferKind, rows: readonly TransferRow[]): Promise<void>;
  /** Every row in the order of the kind's key, a few thousand at a time; bytes by SHA-256. */
  readBack(
    kind: TransferKind,
    onRows: (rows: readonly TransferRow[]) => void | Promise<void>,
  ): Promise<void>;
  /** From now on servers may start on the store, and no other transfer may begin. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export interface SourceIdentity {
  /** Identifies the data. */
  readonly source: string;
  /** Identifies the state of the data. It differs once a server has worked on it. */
  readonly state: string;
}

/** How far each kind has come. A missing kind has not begun. */
export type TransferProgress = Partial<Record<TransferKindName, KindProgress>>;

export interface KindProgress {
  readonly copied: number;
  readonly after: RowKey;
}

/** Values in the order of the kind's columns. Text holds no NUL: not every store can keep it. */
export type TransferRow = readonly TransferValue[];
export type TransferValue = string | number | Uint8Array | null;
export type RowKey = readonly (string | number)[];

/** A `flag` is 0 or 1, and the `id` of a message is 32 lower-case hexadecimal digits. */
export type ColumnType = "text" | "whole" | "flag" | "id" | "bytes";

export type TransferKindName =
  | "encryptionCheck"
  | "encryptionKeys"
  | "accounts"
  | "usage"
  | "keys"
  | "clients"
  | "revokedTokens"
  | "signingKeys"
  | "auditEntries"
  | "targets"
  | "messages"
  | "messageBounds"
  | "messageLabels"
  | "messageKeys"
  | "attempts"
  | "idempotencyKeys"
  | "jobs"
  | "jobMessages"
  | "schedules"
  | "scheduleRuns"
  | "movedRuns"
  | "eventEndpoints"
  | "eventLogs"
  | "eventBundles"
  | "targetHealth";

export interface TransferKind {
  readonly name: TransferKindName;
  readonly table: string;
  /** How many leading columns identify a row and give the order, text by its UTF-8 bytes. */
  readonly keyLength: number;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/** Each kind refers only to kinds before it, and names accounts and targets by their ids. */
export const transferKinds: readonly TransferKind[] = [
  {
    name: "encryptionCheck",
    table: "encryption_check",
    keyLength: 1,
    columns: { only_row: "whole", sealed: "text" },
  },
  {
    name: "encryptionKeys",
    table: "encryption_keys",
    keyLength: 1,
    columns: { key_id: "text" },
  },
  {
    name: "accounts",
    table: "accounts",
    keyLength: 1,
    columns: {
      account_id: "text",
      monthly_message_limit: "whole",
      creation_time: "whole",
      name: "text",
      request_limit: "text",
      suspension_time: "whole",
      removal_time: "whole",
      emptied: "flag",
    },
  },
  {
    name: "usage",
    table: "monthly_usage",
    keyLength: 2,
    columns: { month: "text", account_id: "text", used: "whole" },
  },
  {
    name: "keys",
    table: "access_keys",
    keyLength: 2,
    columns: {
      account_id: "text",
      key_id: "text",
      name: "text",
      scopes: "text",
      hash: "text",
      creation_time: "whole",
    },
  },
  {
    name: "clients",
    table: "clients",
    keyLength: 1,
    columns: {
      client_id: "text",
      account_id: "text",
      name: "text",
      scopes: "text",
      secret_hash: "text",
      previous_hash: "text",
      previous_until: "whole",
      creation_time: "whole",
      secret_time: "whole",
    },
  },
  {
    name: "revokedTokens",
    table: "revoked_tokens",
    keyLength: 1,
    columns: { token_id: "text", expiration_time: "whole" },
  },
  {
    name: "signingKeys",
    table: "signing_keys",
    keyLength: 1,
    columns: {
      key_id: "text",
      public_key: "text",
      sealed_private_key: "text",
      creation_time: "whole",
    },
  },
  {
    name: "auditEntries",
    table: "audit_entries",
    keyLength: 1,
    columns: {
      entry_id: "text",
      time: "whole",
      account_id: "text",
      actor_kind: "text",
      actor_id: "text",
      request_id: "text",
      action: "text",
      subject_id: "text",
      detail: "text",
    },
  },
  {
    name: "targets",
    table: "targets",
    keyLength: 2,
    columns: {
      account_id: "text",
      target_id: "text",
      kind: "text",
      sealed_settings: "text",
      sealed_secrets: "text",
      retry_policy: "text",
      max_concurrency: "whole",
      rate_limit: "text",
      paused: "flag",
      creation_time: "whole",
      update_time: "whole",
      removal_time: "whole",
      revision: "whole",
      failing_after: "text",
    },
  },
  {
    name: "messages",
    table: "messages",
    keyLength: 1,
    columns: {
      message_id: "id",
      account_id: "text",
      target_id: "text",
      state: "whole",
      version: "whole",
      scheduling_time: "whole",
      original_delivery_time: "whole",
      next_delivery_time: "whole",
      last_delivery_time: "whole",
      dead_letter_time: "whole",
      cancellation_time: "whole",
      expiration_time: "whole",
      delivery_failure_count: "whole",
      attempt_count: "whole",
      attempts_this_round: "whole",
      planning_time: "whole",
      payload: "bytes",
      options: "text",
      end_reason: "whole",
    },
  },
  {
    name: "messageBounds",
    table: "message_bounds",
    keyLength: 2,
    columns: { not_after: "whole", message_id: "id" },
  },
  {
    name: "messageLabels",
    table: "message_labels",
    keyLength: 3,
    columns: { account_id: "text", label: "text", message_id: "id" },
  },
  {
    name: "messageKeys",
    table: "message_keys",
    keyLength: 3,
    columns: { account_id: "text", target_id: "text", key: "text", message_id: "id" },
  },
  {
    name: "attempts",
    table: "attempts",
    keyLength: 2,
    columns: {
      message_id: "id",
      number: "whole",
      start_time: "whole",
      end_time: "whole",
      outcome: "whole",
      status_code: "whole",
      error: "text",
      response: "bytes",
    },
  },
  {
    name: "idempotencyKeys",
    table: "idempotency_keys",
    keyLength: 2,
    columns: {
      account_id: "text",
      key: "text",
      fingerprint: "text",
      message_id: "id",
      target_id: "text",
      scheduling_time: "whole",
      original_delivery_time: "whole",
      expiration_time: "whole",
      answer: "text",
    },
  },
  {
    name: "jobs",
    table: "jobs",
    keyLength: 2,
    columns: {
      account_id: "text",
      job_id: "text",
      occupies: "text",
      idempotency_key: "text",
      fingerprint: "text",
      running: "flag",
      emptied: "flag",
      expiration_time: "whole",
      job: "text",
    },
  },
  {
    name: "jobMessages",
    table: "job_messages",
    keyLength: 3,
    columns: {
      account_id: "text",
      job_id: "text",
      message_id: "id",
      stage: "whole",
      attempt_count: "whole",
    },
  },
  {
    name: "schedules",
    table: "schedules",
    keyLength: 2,
    columns: {
      account_id: "text",
      schedule_id: "text",
      target_id: "text",
      paused: "flag",
      look_time: "whole",
      schedule: "text",
      payload: "bytes",
    },
  },
  {
    name: "scheduleRuns",
    table: "schedule_runs",
    keyLength: 3,
    columns: {
      account_id: "text",
      schedule_id: "text",
      run_time: "whole",
      trigger: "whole",
      outcome: "whole",
      reason: "whole",
      message_id: "id",
      judge_time: "whole",
      expiration_time: "whole",
    },
  },
  {
    name: "movedRuns",
    table: "moved_runs",
    keyLength: 1,
    columns: {
      message_id: "id",
      account_id: "text",
      schedule_id: "text",
      run_time: "whole",
      trigger: "whole",
      due_time: "whole",
    },
  },
  {
    name: "eventEndpoints",
    table: "event_endpoints",
    keyLength: 2,
    columns: {
      account_id: "text",
      endpoint_id: "text",
      kind: "text",
      filter: "text",
      sealed_settings: "text",
      sealed_secrets: "text",
      max_batch: "whole",
      paused: "flag",
      disabled_time: "whole",
      creation_time: "whole",
      update_time: "whole",
      revision: "whole",
      start_position: "whole",
      progress: "text",
    },
  },
  {
    name: "eventLogs",
    table: "event_logs",
    keyLength: 1,
    columns: {
      account_id: "text",
      last_position: "whole",
      removed_up_to: "whole",
      removed_mark: "text",
      first_time: "whole",
      last_time: "whole",
    },
  },
  {
    name: "eventBundles",
    table: "event_bundles",
    keyLength: 2,
    columns: {
      account_id: "text",
      last_position: "whole",
      first_position: "whole",
      log_time: "whole",
      seed: "text",
      events: "text",
    },
  },
  {
    name: "targetHealth",
    table: "target_health",
    keyLength: 2,
    columns: {
      account_id: "text",
      target_id: "text",
      failed_attempts: "whole",
      since: "whole",
      failing: "flag",
    },
  },
];

export function keyOf({ keyLength }: TransferKind, row: TransferRow): RowKey {
  return row.slice(0, keyLength) as (string | number)[];
}
