import type { Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import type { Store } from "../../storage/store.ts";
import { changeAccount } from "./change-account.ts";
import type { ChangeAccountOptions } from "./change-account.ts";
import type { DeliveryControl } from "../messages/delivery-control.ts";
import { targetKeysOf } from "../targets/target-keys.ts";

/** With the answer its credentials open nothing, on whichever node. */
export async function suspendAccount(
  options: ChangeAccountOptions,
  operator: Operator,
  accountId: string,
): Promise<Account> {
  const account = await changeAccount(options, operator, accountId, ({ state }) =>
    state === "SUSPENDED"
      ? undefined
      : { change: { state: "SUSPENDED" }, action: "account.suspended" },
  );
  return account;
}

export interface ResumeAccountOptions extends ChangeAccountOptions {
  readonly store: ChangeAccountOptions["store"] & Pick<Store, "listTargets">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
}

/** What became due meanwhile is delivered at once. */
export async function resumeAccount(
  options: ResumeAccountOptions,
  operator: Operator,
  accountId: string,
): Promise<Account> {
  const account = await changeAccount(options, operator, accountId, ({ state }) =>
    state === "ACTIVE" ? undefined : { change: { state: "ACTIVE" }, action: "account.resumed" },
  );
  // Also where it was active already: a call before may have failed between the change and this.
  for (const targetKey of await targetKeysOf(options.store, accountId)) {
    options.delivery.targetChanged(accountId, targetKey);
  }
  return account;
}
