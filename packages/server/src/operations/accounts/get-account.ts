import type { Caller, Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Usage } from "../../domain/usage.ts";
import type { Store } from "../../storage/store.ts";
import { accountGone } from "../access/account-gone.ts";
import { accountNotFound, readAccount } from "./account-ref.ts";

export interface AccountWithUsage extends Account {
  readonly usage: Pick<Usage, "month" | "used">;
}

export async function getAccount(
  { store }: { readonly store: Pick<Store, "getAccount" | "getUsage"> },
  _operator: Operator,
  accountId: string,
): Promise<AccountWithUsage> {
  const account = await readAccount(store, accountId);
  const usage = await store.getUsage(accountId);
  if (usage === undefined) throw new RequestRefused(accountNotFound(accountId));
  return { ...account, usage: { month: usage.month, used: usage.used } };
}

export async function getOwnAccount(
  { store }: { readonly store: Pick<Store, "getAccount"> },
  caller: Caller,
): Promise<Account> {
  const account = await store.getAccount(caller.accountId);
  if (account === undefined) throw new RequestRefused(accountGone);
  return account;
}
