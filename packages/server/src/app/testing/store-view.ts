import type { Store } from "../../storage/store.ts";
import { accountId, triggeredSchedule } from "./eventful-folder.ts";

/** Everything that the port can read of a store. */
export async function view(store: Store, messageIds: readonly string[]) {
  const accounts = [accountId, "acc_two", "acc_suspended", "acc_removed"];
  const refs = messageIds.flatMap((messageId) =>
    accounts.map((account) => ({ accountId: account, messageId })),
  );
  const all = { after: null, limit: 100 };
  return {
    check: await store.encryptionCheck(),
    encryptionKeys: (await store.encryptionState()).keyIds,
    accounts: await store.listAccounts(all),
    usage: await Promise.all(accounts.map((account) => store.getUsage(account))),
    keys: await Promise.all(accounts.map((account) => store.listKeys(account))),
    found: await store.findKey("hash of key_b"),
    clients: await Promise.all(accounts.map((account) => store.listClients(account))),
    client: await store.findClient("client_b"),
    revoked: await store.findTokenHolder({
      accountId,
      clientId: "client_b",
      tokenId: "token of client_b",
    }),
    signingKeys: await store.listSigningKeys(),
    entries: await store.listAuditEntries({
      ...{ accountId: null, minTime: null, maxTime: null },
      ...all,
    }),
    targets: (await Promise.all(accounts.map((account) => store.listTargets(account, all))))
      .flat()
      .map((target) => ({ ...target, targetKey: "the store's own" })),
    jobs: await Promise.all(accounts.map((account) => store.listJobs(account, all))),
    schedules: await Promise.all(
      accounts.map((account) =>
        store.listSchedules({ accountId: account, targetId: null, paused: null, ...all }),
      ),
    ),
    endpoints: await Promise.all(accounts.map((account) => store.listEndpoints(account))),
    events: await Promise.all(
      accounts.map((account) => store.readEvents(account, { after: 0, limit: 9 })),
    ),
    runs: await store.listRuns({ ...triggeredSchedule, before: null, limit: 9 }),
    messages: await Promise.all(refs.map((ref) => store.getMessage(ref))),
    payloads: await Promise.all(refs.map((ref) => store.getPayload(ref))),
    attempts: await Promise.all(refs.map((ref) => store.listAttempts(ref))),
  };
}
