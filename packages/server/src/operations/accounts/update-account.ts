import { isDeepStrictEqual } from "node:util";
import type { Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import type { AccountChange } from "../../storage/store.ts";
import { changeAccount } from "./change-account.ts";
import type { ChangeAccountOptions } from "./change-account.ts";
import { limitDetail } from "./limit-detail.ts";

/** Undefined leaves a field as it is, null removes a limit. */
export interface GivenAccountChange {
  readonly name?: string | undefined;
  readonly monthlyMessageLimit?: number | null | undefined;
  readonly requestLimit?: RateLimit | null | undefined;
}

const parts = ["name", "monthlyMessageLimit", "requestLimit"] as const;

export async function updateAccount(
  options: ChangeAccountOptions,
  operator: Operator,
  accountId: string,
  given: GivenAccountChange,
): Promise<Account> {
  const account = await changeAccount(options, operator, accountId, (now) => {
    const fields = parts.filter(
      (part) => given[part] !== undefined && !isDeepStrictEqual(given[part], now[part]),
    );
    if (fields.length === 0) return undefined;
    const change: AccountChange = Object.fromEntries(fields.map((part) => [part, given[part]]));
    const detail = {
      fields,
      ...(change.name !== undefined && { name: change.name }),
      ...limitDetail(change),
    };
    return { change, action: "account.updated", detail };
  });
  return account;
}
