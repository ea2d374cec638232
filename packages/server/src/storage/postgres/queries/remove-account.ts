import type { AuditNote } from "../../../domain/audit.ts";
import { StoreUnavailable } from "../../store.ts";
import type { RemoveAccountResult } from "../../store.ts";
import { closeAccount } from "../quotas/account-gate.ts";
import type { SharedConnections } from "../connections/connections.ts";
import type { Context } from "./context.ts";
import { lockAccount } from "./accounts.ts";
import { writeNotes } from "./audit-entries.ts";
import { removeTargetsOf } from "./remove-targets.ts";

/**
 * How many targets one transaction removes. This keeps each transaction short, however many targets
 * an account has.
 */
const targetsAtATime = 1_000;

const ownTables = [
  ...["access_keys", "sessions", "clients", "request_buckets"],
  ...["event_endpoints", "account_events"],
];

/**
 * One transaction removes the account, its credentials, its event endpoints and its jobs. From then on nothing opens the account
 * and nothing can be made in it. It is suspended already, so nothing of it is delivered. Its
 * targets follow in pieces. If a piece fails, `removeExpired` continues.
 */
export function removeAccount({ connections }: Context) {
  return async (accountId: string, note: AuditNote): Promise<RemoveAccountResult> => {
    const result = await closeForGood(connections, accountId, note);
    if (result.kind === "removed") await removeTargets(connections, accountId);
    return result;
  };
}

function closeForGood(
  connections: SharedConnections,
  accountId: string,
  note: AuditNote,
): Promise<RemoveAccountResult> {
  return connections.transaction(async (run) => {
    await closeAccount(run, accountId);
    const account = await lockAccount(run, accountId);
    if (account === undefined) return { kind: "not-found" };
    if (account.state !== "SUSPENDED") return { kind: "not-suspended" };
    for (const table of ownTables) {
      await run({
        name: `remove-${table}`,
        text: `DELETE FROM ${table} WHERE account_id = $1`,
        values: [accountId],
      });
    }
    // Waits for steps under way. Their rows go with those of other ended jobs.
    await run({
      name: "end-jobs-of-account",
      text: `UPDATE jobs SET occupies = NULL, running = false, expiration_time = now_ms()
        WHERE account_id = $1`,
      values: [accountId],
    });
    await run({
      name: "remove-account",
      text: "UPDATE accounts SET removal_time = now_ms() WHERE account_id = $1",
      values: [accountId],
    });
    await writeNotes(run, [note]);
    return { kind: "removed", account };
  }, accountId);
}

async function removeTargets(connections: SharedConnections, accountId: string): Promise<void> {
  let after: string | null = null;
  try {
    do {
      const piece = { accountId, after, limit: targetsAtATime };
      ({ after } = await removeTargetsOf(connections, piece));
    } while (after !== null);
  } catch (error) {
    // The account is gone anyway, and the caller must be told so.
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}
