import type { AuditNote } from "../../../domain/audit.ts";
import { StoreUnavailable } from "../../store.ts";
import type { RemoveAccountResult } from "../../store.ts";
import { closeAccount } from "../quotas/account-gate.ts";
import type { Connections } from "../connections.ts";
import type { Context } from "../context.ts";
import { lockAccount } from "./accounts.ts";
import { writeNotes } from "./audit-entries.ts";
import { removeTargetsOf } from "./remove-targets.ts";

/** How many targets go in one transaction. Each is far from any bound, however many an account has. */
const targetsAtATime = 1_000;

/**
 * The account and its credentials go in one transaction: from there on nothing opens it, nothing is made
 * in it, and it is suspended already, so nothing of it is delivered. Its targets follow in pieces. Where
 * one of these fails, `removeExpired` goes on with them.
 */
export function removeAccount({ connections }: Context) {
  return async (accountId: string, note: AuditNote): Promise<RemoveAccountResult> => {
    const result = await closeForGood(connections, accountId, note);
    if (result.kind === "removed") await removeTargets(connections, accountId);
    return result;
  };
}

function closeForGood(
  connections: Connections,
  accountId: string,
  note: AuditNote,
): Promise<RemoveAccountResult> {
  return connections.transaction(async (run) => {
    await closeAccount(run, accountId);
    const account = await lockAccount(run, accountId);
    if (account === undefined) return { kind: "not-found" };
    if (account.state !== "SUSPENDED") return { kind: "not-suspended" };
    for (const table of ["access_keys", "clients", "request_buckets"] as const) {
      await run({
        name: `remove-${table}`,
        text: `DELETE FROM ${table} WHERE account_id = $1`,
        values: [accountId],
      });
    }
    await run({
      name: "remove-account",
      text: "UPDATE accounts SET removal_time = now_ms() WHERE account_id = $1",
      values: [accountId],
    });
    await writeNotes(run, [note]);
    return { kind: "removed", account };
  }, accountId);
}

async function removeTargets(connections: Connections, accountId: string): Promise<void> {
  let after: string | null = null;
  try {
    do {
      const piece = { accountId, after, limit: targetsAtATime };
      ({ after } = await removeTargetsOf(connections, piece));
    } while (after !== null);
  } catch (error) {
    // The account is gone all the same, and that is what the caller has to be told.
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}
