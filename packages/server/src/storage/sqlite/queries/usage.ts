import { monthOf } from "../../../domain/usage.ts";
import type { Usage } from "../../../domain/usage.ts";
import type { Context } from "../context.ts";

export function getUsage({ clock, accounts, usage }: Context) {
  return (accountId: string): Usage | undefined => {
    const accountKey = accounts.keyOf(accountId);
    return accountKey === undefined ? undefined : usage.usageOf(accountKey, monthOf(clock.now()));
  };
}

export function setMonthlyMessageLimit({ accounts, usage }: Context) {
  return (accountId: string, limit: number | null): boolean => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return false;
    usage.setLimit(accountKey, limit);
    return true;
  };
}
