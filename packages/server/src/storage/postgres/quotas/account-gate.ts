import type { Run } from "../connections/connections.ts";

/**
 * Every account has a gate. A call that creates something in the account, changes one of its schedules, or
 * takes a step of one of its jobs, shares the gate with others. A call that suspends or removes the account
 * holds the gate alone, and so sees everything that exists in it. The gate comes before every other lock, and is held until the end of the
 * transaction.
 */

/**
 * Any number will do, if every node uses the same. Two ids on one gate merely wait for each other.
 */
const gates = 7_070;

/** Later statements see the account as it stays until the commit. */
async function passGate(run: Run, accountId: string): Promise<void> {
  await run({
    name: "enter-account",
    text: "SELECT pg_advisory_xact_lock_shared($1::int, hashtext($2))",
    values: [gates, accountId],
  });
}

/** For work in the background, which must not make other accounts wait. False: somebody holds the gate alone. */
export async function tryGate(run: Run, accountId: string): Promise<boolean> {
  const [row] = await run({
    name: "try-gate",
    text: "SELECT pg_try_advisory_xact_lock_shared($1::int, hashtext($2)) AS is_open",
    values: [gates, accountId],
  });
  return row!["is_open"] === true;
}

/** Passes the gate. False if there is no such account. */
export async function enterAccount(run: Run, accountId: string): Promise<boolean> {
  await passGate(run, accountId);
  const found = await run({
    name: "find-live-account",
    text: "SELECT 1 FROM accounts WHERE account_id = $1 AND removal_time IS NULL",
    values: [accountId],
  });
  return found.length > 0;
}

/**
 * Lets one call at a time continue after the gate, so that it can count what exists. The gate
 * itself stays open, so scheduling does not wait.
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
