import type {
  AccessKey,
  AccessKeyWithKey,
  Account,
  AccountWithKey,
  AccountWithUsage,
  Attempt,
  AuditEntry,
  Client,
  ClientWithSecret,
  Message,
  Node,
  OperatorAuditEntry,
  SigningKey,
  Usage,
} from "@postdate/contract";
import type { Static } from "typebox";
import type { RetryPolicy } from "../domain/retry-policy.ts";

/** What the service answers, as the contract has it. Times are RFC 3339 texts. */

export type WireMessage = Readonly<Static<typeof Message>>;

export interface WirePage<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string | null;
}

export type WireAttempt = Readonly<Static<typeof Attempt>>;

/** A target of any kind. */
export interface WireTarget {
  readonly targetId: string;
  readonly kind: string;
  readonly retryPolicy: RetryPolicy;
  readonly maxConcurrency: number;
  readonly rateLimit: { readonly max: number; readonly intervalMs: number } | null;
  readonly paused: boolean;
  readonly creationTime: string;
  readonly updateTime: string;
  /** Only in the answers that made it. */
  readonly secret?: string;
  /** The settings of its kind, which `target-kinds/` knows. */
  readonly [setting: string]: unknown;
}

export type WireNode = Readonly<Static<typeof Node>>;

/** What all answers have, and what only some of them have besides. */
type Answers<Always, Sometimes> = Readonly<Always & Partial<Sometimes>>;

/** The key itself is only in the answer that made it. */
export type WireKey = Answers<Static<typeof AccessKey>, Static<typeof AccessKeyWithKey>>;

/** The secret is only in the answers that made it. */
export type WireClient = Answers<Static<typeof Client>, Static<typeof ClientWithSecret>>;

export type WireSigningKey = Readonly<Static<typeof SigningKey>>;

/** The usage is only where one account was asked for, the key only in the answer that made the account. */
export type WireAccount = Answers<
  Static<typeof Account>,
  Static<typeof AccountWithUsage> & Static<typeof AccountWithKey>
>;

export type WireUsage = Readonly<Static<typeof Usage>>;

/** The account is only in what the operator sees. */
export type WireAuditEntry = Answers<Static<typeof AuditEntry>, Static<typeof OperatorAuditEntry>>;

export interface WireTest {
  readonly targetId: string;
  readonly messageId: string;
  readonly attempt: WireAttempt;
}
