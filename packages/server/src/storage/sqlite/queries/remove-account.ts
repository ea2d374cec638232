import type { AuditNote } from "../../../domain/audit.ts";
import type { RemoveAccountResult } from "../../store.ts";
import type { Context } from "./context.ts";
import { getAccount } from "./accounts.ts";

/**
 * Nobody finds the targets of a removed account, so this call need not touch them, however many
 * there are. `removeExpired` empties their rows in pieces.
 */
export function removeAccount(context: Context) {
  const { db, clock, accounts, targets, audit, requests, endpoints } = context;
  const get = getAccount(context);
  const remove = db.prepare("UPDATE accounts SET removal_time = ? WHERE account_key = ?");
  const deleteKeys = db.prepare("DELETE FROM access_keys WHERE account_key = ?");
  const deleteSessions = db.prepare("DELETE FROM sessions WHERE account_key = ?");
  const deleteClients = db.prepare("DELETE FROM clients WHERE account_key = ?");
  // They do nothing more, and `removeExpired` removes them too.
  const endJobs = db.prepare(
    "UPDATE jobs SET occupies = NULL, running = 0, expiration_time = ? WHERE account_key = ?",
  );
  return (accountId: string, note: AuditNote): RemoveAccountResult => {
    const account = get(accountId);
    if (account === undefined) return { kind: "not-found" };
    if (account.state !== "SUSPENDED") return { kind: "not-suspended" };
    const accountKey = accounts.keyOf(accountId)!;
    remove.run(clock.now(), accountKey);
    endJobs.run(clock.now(), accountKey);
    deleteKeys.run(accountKey);
    deleteSessions.run(accountKey);
    deleteClients.run(accountKey);
    endpoints.removeAll(accountKey);
    accounts.forget(accountId);
    targets.forget();
    requests.forget(accountId);
    audit.write(note);
    return { kind: "removed", account };
  };
}
