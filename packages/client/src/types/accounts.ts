import type { RateLimit } from "./targets.ts";

/** The account as it sees itself. */
export interface OwnAccount {
  accountId: string;
  name: string;
  /** While an account is `SUSPENDED`, its credentials are refused and nothing is delivered. */
  state: "ACTIVE" | "SUSPENDED";
  /** How many messages it may schedule in a calendar month, UTC; null: no limit. */
  monthlyMessageLimit: number | null;
  /** How many requests it may send; null: no limit. */
  requestLimit: RateLimit | null;
  creationTime: string;
}

/** An account as the operator sees it. */
export interface Account extends OwnAccount {
  /** When the account was suspended; null while it is active. */
  suspensionTime: string | null;
}

export interface AccountWithUsage extends Account {
  usage: { month: string; used: number };
}

/** A new account and its first API key, which is shown once. */
export interface AccountWithKey extends Account {
  key: string;
}

export interface CreateAccount {
  /** 1 to 64 letters, digits, `_` and `-`; generated if it is left out. */
  accountId?: string;
  name?: string;
  monthlyMessageLimit?: number | null;
  requestLimit?: RateLimit | null;
}

/** The fields to change. Null removes a limit; fields that are left out stay as they are. */
export interface UpdateAccount {
  name?: string;
  monthlyMessageLimit?: number | null;
  requestLimit?: RateLimit | null;
}

/** How many messages the account has scheduled this month, and how many it may. */
export interface Usage {
  /** The calendar month, UTC: `2026-11`. */
  month: string;
  used: number;
  limit: number | null;
  remaining: number | null;
  resetTime: string;
}

/** One change of an account, or of something that belongs to it. */
export interface AuditEntry {
  entryId: string;
  time: string;
  /** Who did it: a key, a client, a subject of another issuer, the operator, or the service. */
  actor: { kind: string; id: string };
  requestId: string | null;
  /** What was done, such as `target.updated`. */
  action: string;
  subjectId: string;
  detail: Record<string, string | number | boolean | null | string[]>;
}

/** An entry of the audit log, and its account; null if it belongs to the service itself. */
export interface OperatorAuditEntry extends AuditEntry {
  accountId: string | null;
}
