import type { Account } from "../domain/account.ts";
import type { AuditEntry, AuditNote } from "../domain/audit.ts";
import type { Instant } from "../domain/message.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import type { Usage } from "../domain/usage.ts";
import type { NewAccessKey } from "./access-store.ts";

/** A field that is left out gets the store's default for new accounts. */
export interface NewAccount {
  readonly accountId: string;
  readonly name: string;
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
}

/** Undefined leaves a field as it is. */
export interface AccountChange {
  readonly name?: string | undefined;
  /** Takes effect at once, also for the current month. */
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
  readonly state?: Account["state"] | undefined;
}

export type RemoveAccountResult =
  | { readonly kind: "removed"; readonly account: Account }
  | { readonly kind: "not-found" }
  | { readonly kind: "not-suspended" };

export interface AuditQuery {
  /** Null: entries of all accounts, and entries that belong to none. */
  readonly accountId: string | null;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /** The page begins after this entry; null: at the newest. */
  readonly after: { readonly time: Instant; readonly entryId: string } | null;
  readonly limit: number;
}

export interface RequestTake {
  readonly accountId: string;
  readonly limit: RateLimit;
}

export interface RequestTaken {
  readonly allowed: boolean;
  /** How many more requests could follow at once. */
  readonly remaining: number;
  /** Time until the next request is allowed; 0 while some are left. */
  readonly opensInMs: number;
  /** Time until the whole limit is available again. */
  readonly fullInMs: number;
}

/** Accounts, their usage, and the audit log of changes. */
export interface AccountStore {
  /** Creates the account unless it exists; says whether it did. */
  ensureAccount(accountId: string, name: string): Promise<{ readonly created: boolean }>;
  /** Creates the account with its first key. An id is never used twice, even after a removal. */
  createAccount(
    account: NewAccount,
    firstKey: Omit<NewAccessKey, "accountId">,
    notes: readonly AuditNote[],
  ): Promise<Account | "exists">;
  getAccount(accountId: string): Promise<Account | undefined>;
  /** By `accountId`, after `after`. */
  listAccounts(page: { readonly after: string | null; readonly limit: number }): Promise<Account[]>;
  updateAccount(
    accountId: string,
    change: AccountChange,
    note: AuditNote,
  ): Promise<Account | undefined>;
  /**
   * When this resolves, the account's credentials and targets are gone. `removeExpired` removes its
   * scheduled messages and dead letters in batches; the rest goes as it expires. Audit entries
   * stay.
   */
  removeAccount(accountId: string, note: AuditNote): Promise<RemoveAccountResult>;

  /** For the current month, by the store's clock. Undefined if there is no such account. */
  getUsage(accountId: string): Promise<Usage | undefined>;
  /** Takes one request for each item, in order. The limits hold over all nodes together. */
  takeRequests(takes: readonly RequestTake[]): Promise<RequestTaken[]>;

  /** Newest first. */
  listAuditEntries(query: AuditQuery): Promise<AuditEntry[]>;
}
