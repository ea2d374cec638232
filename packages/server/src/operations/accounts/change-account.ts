import type { Operator } from "../../domain/access.ts";
import type { Account } from "../../domain/account.ts";
import type { AuditAction, AuditDetail } from "../../domain/audit.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { AccountChange, Store } from "../../storage/store.ts";
import { accountNotFound, readAccount } from "./account-ref.ts";
import { auditNote } from "../audit/audit-note.ts";

export interface ChangeAccountOptions {
  readonly store: Pick<Store, "getAccount" | "updateAccount">;
  readonly random: Random;
  /** Resolves when no node relies on the old state of the account any more. */
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

/** What to change, and what the audit log says about it. */
export interface AccountAction {
  readonly change: AccountChange;
  readonly action: AuditAction;
  readonly detail?: AuditDetail;
}

/**
 * Reads the account, asks `actionOf` what to change, and writes the change with its audit entry. If there
 * is nothing to change, the account stays as it is and the audit log gets no entry.
 */
export async function changeAccount(
  { store, random, credentialsChanged }: ChangeAccountOptions,
  operator: Operator,
  accountId: string,
  actionOf: (account: Account) => AccountAction | undefined,
): Promise<Account> {
  const account = await readAccount(store, accountId);
  const wanted = actionOf(account);
  if (wanted === undefined) {
    // Another call may have made the change just now. This answer, too, promises that it holds on every node.
    await credentialsChanged(accountId);
    return account;
  }
  const { change, ...audited } = wanted;
  const note = auditNote(random, operator, { ...audited, accountId, subjectId: accountId });
  const updated = await store.updateAccount(accountId, change, note);
  if (updated === undefined) throw new RequestRefused(accountNotFound(accountId));
  await credentialsChanged(accountId);
  return updated;
}
