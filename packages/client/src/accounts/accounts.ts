import type { CallOptions } from "../call-options.ts";
import { PagedList } from "../lists/paged-list.ts";
import { find, once, path, repeatable } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { AccessKeyWithKey, CreateKey } from "../types/access.ts";
import type {
  Account,
  AccountWithKey,
  AccountWithUsage,
  CreateAccount,
  OperatorAuditEntry,
  UpdateAccount,
} from "../types/accounts.ts";
import type { PageQuery, TimeQuery } from "../types/lists.ts";

/** All accounts of the service. For the operator's key. */
export class Accounts {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates an account. Its first key is in the answer, and never shown again.
   *
   * @example
   * ```ts
   * const { key } = await postdate.accounts.create({ accountId: "blue-shop", monthlyMessageLimit: 500 });
   * console.log("keep this:", key);
   * ```
   */
  async create(account: CreateAccount = {}, options?: CallOptions): Promise<AccountWithKey> {
    return this.#transport.request(once("POST", "/v1/accounts", account), options);
  }

  /**
   * All accounts, by `accountId`.
   *
   * @example
   * ```ts
   * for await (const { accountId, state } of postdate.accounts.list()) console.log(accountId, state);
   * ```
   */
  list(query?: PageQuery, options?: CallOptions): PagedList<Account> {
    return new PagedList(this.#transport, "/v1/accounts", query, options);
  }

  /**
   * The account with its usage this month, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const account = await postdate.accounts.get("blue-shop");
   * console.log(account?.usage.used ?? "no such account");
   * ```
   */
  async get(accountId: string, options?: CallOptions): Promise<AccountWithUsage | null> {
    return this.#transport.request(find(path`/v1/accounts/${accountId}`, "E-DI-4001"), options);
  }

  /**
   * Changes the given fields. Null removes a limit.
   *
   * @example
   * ```ts
   * await postdate.accounts.update("blue-shop", { monthlyMessageLimit: 10_000 });
   * ```
   */
  async update(accountId: string, changes: UpdateAccount, options?: CallOptions): Promise<Account> {
    return this.#transport.request(
      repeatable("PATCH", path`/v1/accounts/${accountId}`, changes),
      options,
    );
  }

  /**
   * Removes a suspended account with everything that belongs to it.
   *
   * @example
   * ```ts
   * await postdate.accounts.remove("blue-shop");
   * ```
   */
  async remove(accountId: string, options?: CallOptions): Promise<Account> {
    return this.#transport.request(once("DELETE", path`/v1/accounts/${accountId}`), options);
  }

  /**
   * Suspends an account: its credentials are refused, and nothing is delivered.
   *
   * @example
   * ```ts
   * await postdate.accounts.suspend("blue-shop");
   * ```
   */
  async suspend(accountId: string, options?: CallOptions): Promise<Account> {
    return this.#transport.request(
      repeatable("POST", path`/v1/accounts/${accountId}/suspend`),
      options,
    );
  }

  /**
   * Ends a suspension.
   *
   * @example
   * ```ts
   * await postdate.accounts.resume("blue-shop");
   * ```
   */
  async resume(accountId: string, options?: CallOptions): Promise<Account> {
    return this.#transport.request(
      repeatable("POST", path`/v1/accounts/${accountId}/resume`),
      options,
    );
  }

  /**
   * Creates a key for an account that has lost its own.
   *
   * @example
   * ```ts
   * const { key } = await postdate.accounts.createKey("blue-shop", {
   *   name: "new start",
   *   scopes: ["scheduler.all.readwrite"],
   * });
   * console.log("keep this:", key);
   * ```
   */
  async createKey(
    accountId: string,
    key: CreateKey,
    options?: CallOptions,
  ): Promise<AccessKeyWithKey> {
    return this.#transport.request(
      once("POST", path`/v1/accounts/${accountId}/keys`, key),
      options,
    );
  }

  /**
   * The audit log of one account, the latest entry first.
   *
   * @example
   * ```ts
   * for await (const { time, action } of postdate.accounts.auditLog("blue-shop")) console.log(time, action);
   * ```
   */
  auditLog(
    accountId: string,
    query?: TimeQuery,
    options?: CallOptions,
  ): PagedList<OperatorAuditEntry> {
    return new PagedList(
      this.#transport,
      path`/v1/accounts/${accountId}/audit-log`,
      query,
      options,
    );
  }
}
