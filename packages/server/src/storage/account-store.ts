import type { Account } from "../domain/account.ts";
import type { AuditEntry, AuditNote } from "../domain/audit.ts";
import type { Instant } from "../domain/message.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import type { Usage } from "../domain/usage.ts";
import type { NewAccessKey } from "./access-store.ts";

/** What is left out is as the store was told that new accounts have it. */
export interface NewAccount {
  readonly accountId: string;
  readonly name: string;
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
}

/** Undefined leaves a part as it is. */
export interface AccountChange {
  readonly name?: string | undefined;
  /** Holds from here on, for this month too. */
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
  readonly state?: Account["state"] | undefined;
}

export type RemoveAccountResult =
  | { readonly kind: "removed"; readonly account: Account }
  | { readonly kind: "not-found" }
  | { readonly kind: "not-suspended" };

export interface AuditQuery {
  /** Null: of all accounts, and of what belongs to none. */
  readonly accountId: string | null;
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /** Begins behind this entry; null: at the youngest. */
  readonly after: { readonly time: Instant; readonly entryId: string } | null;
  readonly limit: number;
}

export interface RequestTake {
  readonly accountId: string;
  readonly limit: RateLimit;
}

export interface RequestTaken {
  readonly allowed: boolean;
  /** How many more could follow at once. */
  readonly remaining: number;
  /** Until the next one is allowed; 0 while there are some left. */
  readonly opensInMs: number;
  /** Until all of the limit is there again. */
  readonly fullInMs: number;
}

/** Accounts, what they use, and what was done to them and theirs. */
export interface AccountStore {
  /** Makes sure that the account exists; says whether it was created just now. */
  ensureAccount(accountId: string, name: string): Promise<{ readonly created: boolean }>;
  /** With its first key. An id that an account has or ever had is not given again. */
  createAccount(
    account: NewAccount,
    firstKey: Omit<NewAccessKey, "accountId">,
    notes: readonly AuditNote[],
  ): Promise<Account | "exists">;
  getAccount(accountId: string): Promise<Account | undefined>;
  /** By `accountId`, beginning behind `after`. */
  listAccounts(page: { readonly after: string | null; readonly limit: number }): Promise<Account[]>;
  updateAccount(
    accountId: string,
    change: AccountChange,
    note: AuditNote,
  ): Promise<Account | undefined>;
  /**
   * Its credentials and targets are gone with the answer; its scheduled messages and dead letters go
   * in batches with `removeExpired`, the rest as it expires. Entries of the audit log stay.
   */
  removeAccount(accountId: string, note: AuditNote): Promise<RemoveAccountResult>;

  /** This month's, by the store's clock; undefined where there is no such account. */
  getUsage(accountId: string): Promise<Usage | undefined>;
  /** Takes one request each from what the limits leave, over all nodes, one after the other. */
  takeRequests(takes: readonly RequestTake[]): Promise<RequestTaken[]>;

  /** The youngest first. */
  listAuditEntries(query: AuditQuery): Promise<AuditEntry[]>;
}
