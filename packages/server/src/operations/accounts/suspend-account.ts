import type { Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import type { Store } from "../../storage/store.ts";
import { changeAccount } from "./change-account.ts";
import type { ChangeAccountOptions } from "./change-account.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { targetKeysOf } from "../targets/target-keys.ts";

/** Once this is answered, every node refuses the credentials of the account. */
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
  readonly delivery: Pick<DeliveryControl, "targetChanged" | "noteSchedule">;
}

/** Messages that became due meanwhile are delivered at once, and schedules go on. */
export async function resumeAccount(
  options: ResumeAccountOptions,
  operator: Operator,
  accountId: string,
): Promise<Account> {
  const account = await changeAccount(options, operator, accountId, ({ state }) =>
    state === "ACTIVE" ? undefined : { change: { state: "ACTIVE" }, action: "account.resumed" },
  );
  // Also if the account was already active: an earlier call may have failed after the change, before this.
  options.delivery.noteSchedule();
  for (const targetKey of await targetKeysOf(options.store, accountId)) {
    options.delivery.targetChanged(accountId, targetKey);
  }
  return account;
}
