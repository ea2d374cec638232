import type { Run } from "../connections/connections.ts";

/** Remembers in the commit that resumes an account that its schedules are to go on. The account is locked. */
export async function noteResumed(run: Run, accountId: string): Promise<void> {
  await run({
    name: "note-resumed-account",
    text: "INSERT INTO resumed_accounts (account_id) VALUES ($1) ON CONFLICT DO NOTHING",
    values: [accountId],
  });
}

/** The account is suspended again. */
export async function forgetResumed(run: Run, accountId: string): Promise<void> {
  await run({
    name: "forget-resumed-account",
    text: "DELETE FROM resumed_accounts WHERE account_id = $1",
    values: [accountId],
  });
}
