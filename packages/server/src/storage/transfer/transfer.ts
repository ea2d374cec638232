/**
 * The port for moving everything there is from one store into another. What is moved is listed here
 * once, as kinds of rows with their columns; the adapters make their statements from the list, so that
 * both sides mean the same columns in the same order. A test holds the list against both schemas.
 *
 * Not moved: claims, nodes, waiting changes and rate buckets, which are of the moment.
 */
export interface TransferSource {
  readonly identity: SourceIdentity;
  count(kind: TransferKind): number;
  /** In the order of the kind's key, those behind `after`: one at a time, however many there are. */
  rows(kind: TransferKind, after: RowKey | null): Iterable<TransferRow>;
  close(): void;
}

export interface TransferDestination {
  /** Begins, or goes on with what this source began. Refuses a store with anything else in it. */
  begin(identity: SourceIdentity): Promise<TransferProgress>;
  /** The rows, and how far the kind has come, in one commit. */
  write(kind: TransferKind, rows: readonly TransferRow[]): Promise<void>;
  /** Every row in the order of the kind's key, a few thousand at a time; bytes by their SHA-256. */
  readBack(
    kind: TransferKind,
    onRows: (rows: readonly TransferRow[]) => void | Promise<void>,
  ): Promise<void>;
  /** From here on servers may start on it, and no other transfer may. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

export interface SourceIdentity {
  /** Which data it is. */
  readonly source: string;
  /** Which moment of it: different once a server has worked on it. */
  readonly state: string;
}

/** How far each kind has come; a kind that is missing has not begun. */
export type TransferProgress = Partial<Record<TransferKindName, KindProgress>>;

export interface KindProgress {
  readonly copied: number;
  readonly after: RowKey;
}

/** Values in the order of the kind's columns. Text holds no NUL, which not every store can keep. */
export type TransferRow = readonly TransferValue[];
export type TransferValue = string | number | Uint8Array | null;
export type RowKey = readonly (string | number)[];

/** `flag` travels as 0 or 1, `id` (of a message) as 32 lower-case hexadecimal digits. */
export type ColumnType = "text" | "whole" | "flag" | "id" | "bytes";

export type TransferKindName =
  | "encryptionCheck"
  | "accounts"
  | "usage"
  | "keys"
  | "clients"
  | "revokedTokens"
  | "signingKeys"
  | "auditEntries"
  | "targets"
  | "messages"
  | "attempts"
  | "idempotencyKeys";

export interface TransferKind {
  readonly name: TransferKindName;
  readonly table: string;
  /** What identifies a row and gives the order, text by its UTF-8 bytes: the first columns. */
  readonly keyLength: number;
  readonly columns: Readonly<Record<string, ColumnType>>;
}

/** Each kind refers only to kinds before it. Accounts and targets travel by their ids, not by store's keys. */
export const transferKinds: readonly TransferKind[] = [
  {
    name: "encryptionCheck",
    table: "encryption_check",
    keyLength: 1,
    columns: { only_row: "whole", sealed: "text" },
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
    },
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
    },
  },
];

export function keyOf({ keyLength }: TransferKind, row: TransferRow): RowKey {
  return row.slice(0, keyLength) as (string | number)[];
}
