import type { AccessKey, Scope } from "../domain/access.ts";
import type { Usage } from "../domain/usage.ts";

export interface NewAccessKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the key, in hex: the key itself is never kept. */
  readonly hash: string;
}

export interface AccessStore {
  /**
   * Makes sure that the account exists; says whether it was created just now, with the monthly limit
   * that new accounts have.
   */
  ensureAccount(accountId: string): Promise<{ readonly created: boolean }>;
  /** Holds from here on, for this month too; null lifts it. False where there is no such account. */
  setMonthlyMessageLimit(accountId: string, limit: number | null): Promise<boolean>;
  /** This month's, by the store's clock; undefined where there is no such account. */
  getUsage(accountId: string): Promise<Usage | undefined>;
  createKey(key: NewAccessKey): Promise<AccessKey>;
  /** As `createKey`, taking the place of a key with the same id. */
  replaceKey(key: NewAccessKey): Promise<AccessKey>;
  findKey(hash: string): Promise<AccessKey | undefined>;
  listKeys(accountId: string): Promise<AccessKey[]>;
  /** False where there is no such key. */
  revokeKey(accountId: string, keyId: string): Promise<boolean>;
}
