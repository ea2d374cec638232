import type { Account } from "../../../domain/account.ts";
import type { AuditNote } from "../../../domain/audit.ts";
import type { NewAccessKey, NewAccount } from "../../store.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Run } from "../connections/connections.ts";
import type { Context, WorkContext } from "./context.ts";
import { insertKey } from "./access-keys.ts";
import { writeNotes } from "./audit-entries.ts";

const live = `SELECT ${accountColumns} FROM accounts a WHERE a.removal_time IS NULL`;

export function getAccount({ connections }: Context) {
  return async (accountId: string): Promise<Account | undefined> => {
    const [row] = await connections.query(
      {
        name: "get-account",
        text: `${live} AND a.account_id = $1`,
        values: [accountId],
      },
      accountId,
    );
    return row && readAccount(row);
  };
}

/** The account's shares are granted under this lock. It does not block new keys or targets. */
export async function lockAccount(run: Run, accountId: string): Promise<Account | undefined> {
  const [row] = await run({
    name: "lock-account",
    text: `${live} AND a.account_id = $1 FOR NO KEY UPDATE`,
    values: [accountId],
  });
  return row && readAccount(row);
}

export function listAccounts({ connections }: WorkContext) {
  return async (page: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<Account[]> => {
    const rows = await connections.query({
      name: "list-accounts",
      text: `${live} AND a.account_id COLLATE "C" > $1
        ORDER BY a.account_id COLLATE "C" LIMIT $2`,
      values: [page.after ?? "", page.limit],
    });
    return rows.map(readAccount);
  };
}

export function ensureAccount(context: Context) {
  return async (accountId: string, name: string): Promise<{ created: boolean }> => {
    const run: Run = (query) => context.connections.query(query, accountId);
    return { created: (await insertAccount(run, context, { accountId, name })) !== undefined };
  };
}

export function createAccount(context: Context) {
  return (
    account: NewAccount,
    firstKey: Omit<NewAccessKey, "accountId">,
    notes: readonly AuditNote[],
  ): Promise<Account | "exists"> =>
    context.connections.transaction(async (run) => {
      const made = await insertAccount(run, context, account);
      if (made === undefined) return "exists";
      await insertKey(run, { ...firstKey, accountId: account.accountId });
      await writeNotes(run, notes);
      return made;
    }, account.accountId);
}

/** Undefined if an account has, or ever had, the id. */
async function insertAccount(
  run: Run,
  context: Context,
  account: NewAccount,
): Promise<Account | undefined> {
  const { monthlyMessageLimit = context.monthlyMessageLimit } = account;
  const { requestLimit = context.requestLimit } = account;
  const [row] = await run({
    name: "create-account",
    text: `INSERT INTO accounts AS a
        (account_id, name, monthly_message_limit, request_limit, creation_time)
      VALUES ($1, $2, $3, $4, now_ms()) ON CONFLICT DO NOTHING RETURNING ${accountColumns}`,
    values: [
      account.accountId,
      account.name,
      monthlyMessageLimit,
      requestLimit && JSON.stringify(requestLimit),
    ],
  });
  return row && readAccount(row);
}
