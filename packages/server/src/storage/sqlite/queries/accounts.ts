import type { Account } from "../../../domain/account.ts";
import type { AuditNote } from "../../../domain/audit.ts";
import type { AccountChange, NewAccessKey, NewAccount } from "../../store.ts";
import { resumedAccounts } from "../tables/resumed-accounts.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Context } from "./context.ts";
import { keyInsertion } from "./access-keys.ts";

const live = `SELECT ${accountColumns} FROM accounts a WHERE a.removal_time IS NULL`;

export function getAccount({ db }: Context) {
  const select = db.prepare(`${live} AND a.account_id = ?`);
  return (accountId: string): Account | undefined => {
    const row = select.get(accountId);
    return row && readAccount(row);
  };
}

export function listAccounts({ db }: Context) {
  const select = db.prepare(`${live} AND a.account_id > ? ORDER BY a.account_id LIMIT ?`);
  return (page: { readonly after: string | null; readonly limit: number }): Account[] =>
    select.all(page.after ?? "", page.limit).map(readAccount);
}

export function ensureAccount(context: Context) {
  const insert = accountInsertion(context);
  return (accountId: string, name: string): { created: boolean } => ({
    created: insert({ accountId, name }),
  });
}

export function createAccount(context: Context) {
  const insert = accountInsertion(context);
  const insertKey = keyInsertion(context);
  const get = getAccount(context);
  return (
    account: NewAccount,
    firstKey: Omit<NewAccessKey, "accountId">,
    notes: readonly AuditNote[],
  ): Account | "exists" => {
    if (!insert(account)) return "exists";
    insertKey({ ...firstKey, accountId: account.accountId });
    for (const note of notes) context.audit.write(note);
    return get(account.accountId)!;
  };
}

/** False if an account has, or ever had, the id. */
function accountInsertion({ db, clock, ...context }: Context) {
  const insert = db.prepare(
    `INSERT INTO accounts (account_id, name, monthly_message_limit, request_limit, creation_time)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  return (account: NewAccount): boolean => {
    const { monthlyMessageLimit = context.monthlyMessageLimit } = account;
    const { requestLimit = context.requestLimit } = account;
    const inserted = insert.run(
      account.accountId,
      account.name,
      monthlyMessageLimit,
      requestLimit && JSON.stringify(requestLimit),
      clock.now(),
    );
    return Number(inserted.changes) > 0;
  };
}

export function updateAccount(context: Context) {
  const { db, clock, accounts, usage, audit } = context;
  const get = getAccount(context);
  const resumed = resumedAccounts(db);
  const update = db.prepare(
    "UPDATE accounts SET name = ?, request_limit = ?, suspension_time = ? WHERE account_id = ?",
  );
  return (accountId: string, change: AccountChange, note: AuditNote): Account | undefined => {
    const before = get(accountId);
    if (before === undefined) return undefined;
    const {
      name = before.name,
      monthlyMessageLimit = before.monthlyMessageLimit,
      requestLimit = before.requestLimit,
      state = before.state,
    } = change;
    const suspensionTime = state === "ACTIVE" ? null : (before.suspensionTime ?? clock.now());
    const after = { ...before, name, monthlyMessageLimit, requestLimit, state, suspensionTime };
    if (JSON.stringify(after) === JSON.stringify(before)) return before;
    update.run(name, requestLimit && JSON.stringify(requestLimit), suspensionTime, accountId);
    const accountKey = accounts.keyOf(accountId)!;
    usage.setLimit(accountKey, monthlyMessageLimit);
    if (state === "SUSPENDED") resumed.remove(accountKey);
    else if (before.state === "SUSPENDED") resumed.add(accountKey);
    audit.write(note);
    return after;
  };
}
