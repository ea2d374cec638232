import type { Run } from "../connections/connections.ts";

/**
 * Every account has a gate. Whoever makes something in it goes through together with others; whoever
 * suspends or removes it has it alone, and so knows of everything that is there. The gate comes before
 * every other lock, and is held until the end of the transaction.
 */

/** Any number, as long as every node takes the same. Two ids on one gate only wait for each other. */
const gates = 7_070;

/** False where there is no such account. What follows sees the account as it stays until the commit. */
export async function enterAccount(run: Run, accountId: string): Promise<boolean> {
  await run({
    name: "enter-account",
    text: "SELECT pg_advisory_xact_lock_shared($1::int, hashtext($2))",
    values: [gates, accountId],
  });
  const found = await run({
    name: "find-live-account",
    text: "SELECT 1 FROM accounts WHERE account_id = $1 AND removal_time IS NULL",
    values: [accountId],
  });
  return found.length > 0;
}

/**
 * One at a time, for those who went through the gate: what was made before is there to be counted. The
 * gate itself stays open, so that whoever schedules does not wait.
 */
export async function lockAccount(run: Run, accountId: string): Promise<void> {
  await run({
    name: "lock-account-row",
    text: "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
    values: [accountId],
  });
}

export async function closeAccount(run: Run, accountId: string): Promise<void> {
  await run({
    name: "close-account",
    text: "SELECT pg_advisory_xact_lock($1::int, hashtext($2))",
    values: [gates, accountId],
  });
}
