import type { Account } from "../../../../src/domain/account.ts";
import type { AuditNote } from "../../../../src/domain/audit.ts";
import { rateAllowance, spendRate } from "../../../../src/domain/rate-limit.ts";
import { monthOf } from "../../../../src/domain/usage.ts";
import type { Usage } from "../../../../src/domain/usage.ts";
import { requestTaken } from "../../../../src/storage/request-taken.ts";
import type {
  AccountChange,
  NewAccessKey,
  NewAccount,
  RemoveAccountResult,
  RequestTake,
  RequestTaken,
} from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context } from "../database-state.ts";
import { assertFree, endKey, keepKey } from "./access-keys.ts";

export function accountVerbs(context: Context) {
  const { state, node } = context;
  const { clock, accounts, targets, usage, requestBuckets, auditLog } = state;

  /** Undefined if an account has the id, or a removed account had it. */
  function insert({ accountId, name, ...limits }: NewAccount): Account | undefined {
    if (accounts.has(accountId)) return undefined;
    const { monthlyMessageLimit = node.monthlyMessageLimit } = limits;
    const { requestLimit = node.requestLimit } = limits;
    const account: Account = {
      accountId,
      name,
      state: "ACTIVE",
      monthlyMessageLimit,
      requestLimit,
      creationTime: clock.now(),
      suspensionTime: null,
    };
    accounts.set(accountId, { account, removalTime: null, emptied: false });
    return account;
  }

  function takeRequest({ accountId, limit }: RequestTake): RequestTaken {
    const now = clock.now();
    const before = requestBuckets.get(accountId) ?? 0;
    const allowed = rateAllowance(limit, before, now) > 0;
    // A refusal spends nothing. It still reduces, for good, a value written under a longer limit.
    const after = spendRate(limit, before, now, Number(allowed));
    requestBuckets.set(accountId, after);
    return requestTaken(allowed, limit, after, now);
  }

  return {
    ensureAccount: (accountId: string, name: string): { created: boolean } => ({
      created: insert({ accountId, name }) !== undefined,
    }),

    createAccount(
      account: NewAccount,
      firstKey: Omit<NewAccessKey, "accountId">,
      notes: readonly AuditNote[],
    ): Account | "exists" {
      if (accounts.has(account.accountId)) return "exists";
      const key = { ...firstKey, accountId: account.accountId };
      assertFree(state, key);
      auditLog.write(clock.now(), ...notes);
      keepKey(state, key);
      return insert(account)!;
    },

    getAccount: (accountId: string): Account | undefined => liveAccount(state, accountId),

    listAccounts: ({
      after,
      limit,
    }: {
      readonly after: string | null;
      readonly limit: number;
    }): Account[] =>
      [...accounts.values()]
        .filter(({ removalTime }) => removalTime === null)
        .map(({ account }) => account)
        .filter(({ accountId }) => accountId > (after ?? ""))
        .toSorted((one, other) => (one.accountId < other.accountId ? -1 : 1))
        .slice(0, limit),

    updateAccount(accountId: string, change: AccountChange, note: AuditNote): Account | undefined {
      const before = liveAccount(state, accountId);
      if (before === undefined) return undefined;
      const given = Object.entries(change).filter(([, value]) => value !== undefined);
      const after: Account = { ...before, ...Object.fromEntries(given) };
      if (JSON.stringify(after) === JSON.stringify(before)) return before;
      const suspensionTime =
        after.state === "SUSPENDED" ? (before.suspensionTime ?? clock.now()) : null;
      const account = { ...after, suspensionTime };
      auditLog.write(clock.now(), note);
      accounts.get(accountId)!.account = account;
      if (before.state === "SUSPENDED" && account.state === "ACTIVE") {
        state.rules.resumed(state, accountId);
      }
      return account;
    },

    removeAccount(accountId: string, note: AuditNote): RemoveAccountResult {
      const account = liveAccount(state, accountId);
      if (account === undefined) return { kind: "not-found" };
      if (account.state !== "SUSPENDED") return { kind: "not-suspended" };
      const now = clock.now();
      auditLog.write(now, note);
      for (const kept of targets.ofAccount(accountId)) {
        if (kept.removalTime === null) targets.remove(kept, now);
      }
      for (const [hash, key] of [...state.accessKeys]) {
        if (key.accountId === accountId) endKey(state, hash);
      }
      for (const [clientId, { client }] of [...state.clients]) {
        if (client.accountId === accountId) state.clients.delete(clientId);
      }
      state.jobs.removeOf(accountId);
      state.schedules.removeOf(accountId);
      state.events.removeEndpointsOf(accountId);
      requestBuckets.delete(accountId);
      accounts.get(accountId)!.removalTime = now;
      return { kind: "removed", account };
    },

    getUsage(accountId: string): Usage | undefined {
      const account = liveAccount(state, accountId);
      const month = monthOf(clock.now());
      const used = usage.of(accountId, month);
      return account && { month, used, limit: account.monthlyMessageLimit };
    },

    takeRequests: (takes: readonly RequestTake[]): RequestTaken[] => takes.map(takeRequest),
  };
}
