import { defaultAccountId } from "../../domain/access.ts";
import type { Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { accountNotFound, soundAccountId } from "./account-ref.ts";
import { auditNote } from "../audit/audit-note.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { targetKeysOf } from "../targets/target-keys.ts";

export interface RemoveAccountOptions {
  readonly store: Pick<Store, "removeAccount" | "listTargets">;
  readonly delivery: Pick<DeliveryControl, "targetChanged">;
  readonly random: Random;
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

/** Returns the account as it was. */
export async function removeAccount(
  { store, delivery, random, credentialsChanged }: RemoveAccountOptions,
  operator: Operator,
  givenAccountId: string,
): Promise<Account> {
  const accountId = soundAccountId(givenAccountId);
  if (accountId === defaultAccountId) {
    throw new RequestRefused({
      code: codes.defaultAccountStays,
      message: "The default account cannot be removed. Suspend it if nobody should use it.",
    });
  }
  const targetKeys = await targetKeysOf(store, accountId);
  const note = auditNote(random, operator, {
    action: "account.removed",
    accountId,
    subjectId: accountId,
  });
  const result = await store.removeAccount(accountId, note);
  await credentialsChanged(accountId);
  if (result.kind === "not-found") throw new RequestRefused(accountNotFound(accountId));
  if (result.kind === "not-suspended") {
    throw new RequestRefused({
      code: codes.accountNotSuspended,
      message: "The account is active. Suspend it first, then remove it.",
    });
  }
  for (const targetKey of targetKeys) delivery.targetChanged(accountId, targetKey);
  return result.account;
}
