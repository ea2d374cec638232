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
  /** Resolves when nobody relies on the account as it was, on whichever node. */
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

/** What is to change, and what the audit log says of it; undefined where all is as it should be. */
export interface AccountAction {
  readonly change: AccountChange;
  readonly action: AuditAction;
  readonly detail?: AuditDetail;
}

/** What is as it should be already is left alone, and nothing is written down about it. */
export async function changeAccount(
  { store, random, credentialsChanged }: ChangeAccountOptions,
  operator: Operator,
  accountId: string,
  actionOf: (account: Account) => AccountAction | undefined,
): Promise<Account> {
  const account = await readAccount(store, accountId);
  const wanted = actionOf(account);
  if (wanted === undefined) {
    // Whoever changed it may not have been answered yet: this answer promises the same.
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
