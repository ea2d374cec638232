import { accountIdPattern } from "../../domain/account.ts";
import type { Account } from "../../domain/account.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Store } from "../../storage/store.ts";

export function accountNotFound(accountId: string): Problem {
  return {
    code: codes.accountNotFound,
    message: `There is no account ${JSON.stringify(accountId.slice(0, 100))}. Correct the accountId.`,
  };
}

/** Refuses a malformed id: some stores cannot search for such text. */
export function soundAccountId(accountId: string): string {
  if (!accountIdPattern.test(accountId)) throw new RequestRefused(accountNotFound(accountId));
  return accountId;
}

export async function readAccount(
  store: Pick<Store, "getAccount">,
  accountId: string,
): Promise<Account> {
  const account = await store.getAccount(soundAccountId(accountId));
  if (account === undefined) throw new RequestRefused(accountNotFound(accountId));
  return account;
}
