import { monthOf } from "../../../domain/usage.ts";
import type { Usage } from "../../../domain/usage.ts";
import type { Context } from "./context.ts";

export function getUsage({ clock, accounts, usage }: Context) {
  return (accountId: string): Usage | undefined => {
    const accountKey = accounts.keyOf(accountId);
    return accountKey === undefined ? undefined : usage.usageOf(accountKey, monthOf(clock.now()));
  };
}
