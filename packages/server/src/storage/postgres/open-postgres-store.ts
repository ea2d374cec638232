import { defaultAuditRetentionMs } from "../../domain/audit.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { systemClock } from "../../platform/clock.ts";
import { createMessageIdGenerator } from "../../platform/message-ids.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { SchemaUpgrade } from "../schema-version.ts";
import type { Store } from "../store.ts";
import { BacklogHeads } from "./backlog-heads.ts";
import { ClaimGate } from "./claim-gate.ts";
import { openConnections } from "./connections.ts";
import type { Context } from "./context.ts";
import { DatabaseClock } from "./database-clock.ts";
import { gather } from "./gather.ts";
import { HeldMessages } from "./held-messages.ts";
import { prepareSchema } from "./migrate.ts";
import { createKey, findKey, listKeys, replaceKey, revokeKey } from "./queries/access-keys.ts";
import { createAccount, ensureAccount, getAccount, listAccounts } from "./queries/accounts.ts";
import { listAuditEntries } from "./queries/audit-entries.ts";
import { messageChanges } from "./queries/change-message.ts";
import { claimDue } from "./queries/claim-due.ts";
import {
  createClient,
  findClient,
  getClient,
  listClients,
  removeClient,
  rotateClientSecret,
} from "./queries/clients.ts";
import { encryptionCheck, keepEncryptionCheck } from "./queries/encryption-check.ts";
import { listDeadLetters, listScheduledMessages } from "./queries/list-messages.ts";
import { endDeadLives, join, leave, listNodes, renew } from "./queries/nodes.ts";
import { getMessage, getPayload, listAttempts } from "./queries/read-message.ts";
import { recordAttempts } from "./queries/record-attempts.ts";
import { countPending } from "./queries/count-pending.ts";
import { readClock } from "./queries/read-clock.ts";
import { releaseClaims } from "./queries/release-claims.ts";
import { removeAccount } from "./queries/remove-account.ts";
import { removeExpired } from "./queries/remove-expired.ts";
import { scheduleMessages } from "./queries/schedule-messages.ts";
import { addSigningKey, listSigningKeys, removeSigningKey } from "./queries/signing-keys.ts";
import { takeRequests } from "./queries/take-requests.ts";
import { findTokenHolder, revokeToken } from "./queries/tokens.ts";
import { updateAccount } from "./queries/update-account.ts";
import { beginTest, endTest } from "./queries/target-tests.ts";
import { getUsage } from "./queries/usage.ts";
import { voidLostClaims } from "./queries/void-lost-claims.ts";
import { upcoming } from "./queries/upcoming.ts";
import {
  createTarget,
  getTarget,
  getTargetByKey,
  listTargets,
  removeTarget,
  updateTarget,
} from "./queries/targets.ts";
import { TestClaims } from "./test-claims.ts";

export interface PostgresStoreOptions {
  readonly databaseUrl: string;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs?: number;
  /** What new accounts have; null or absent: none. */
  readonly monthlyMessageLimit?: number | null;
  readonly requestLimit?: RateLimit | null;
  readonly onBatch?: (size: number) => void;
  /** How long a node may be silent before others take over what it holds. */
  readonly leaseMs: number;
  readonly schemaUpgrade?: SchemaUpgrade;
}

const connectionsAtMost = 10;
const deadlineMs = 8_000;
const asideDeadlineMs = 4_000;
/** A revoked key is refused everywhere after this; until then its revocation is not answered. */
const credentialMs = 500;
const clockReadings = 5;

/** The store for several nodes: one PostgreSQL, whose clock decides. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { onBatch = () => {}, leaseMs } = options;
  await prepareSchema(options.databaseUrl, options.schemaUpgrade ?? "auto");
  const connections = openConnections(options.databaseUrl, { max: connectionsAtMost, deadlineMs });
  // Anybody may ask for a ping and a count. Callers do not wait behind those, nor those behind callers;
  // and a ping does not wait behind a count.
  const aside = openConnections(options.databaseUrl, { max: 2, deadlineMs: asideDeadlineMs });
  const clock = new DatabaseClock(systemClock);
  const readDatabaseClock = (): Promise<void> => clock.learn(() => readClock(connections));
  try {
    for (let reading = 0; reading < clockReadings; reading++) await readDatabaseClock();
  } catch (error) {
    await connections.close();
    throw error;
  }
  const context: Context = {
    connections,
    clock: systemClock,
    timers: systemTimers,
    ids: createMessageIdGenerator({ clock, random: systemRandom, after: 0 }),
    retentionMs: options.retentionMs,
    idempotencyRetentionMs: options.idempotencyRetentionMs,
    auditRetentionMs: options.auditRetentionMs ?? defaultAuditRetentionMs,
    monthlyMessageLimit: options.monthlyMessageLimit ?? null,
    requestLimit: options.requestLimit ?? null,
    leaseMs,
    held: new HeldMessages(),
    tests: new TestClaims(),
    backlogs: new BacklogHeads(systemClock),
    gate: new ClaimGate(),
  };
  const limits = { mostItems: 1_000, mostUnderWay: 2, onBatch };
  const record = gather(recordAttempts(context), limits);
  const renewLife = renew(context);
  const voidLost = voidLostClaims(context);
  return {
    clock,
    sharing: { leaseMs, credentialMs },
    scheduleMessages: scheduleMessages(context, clock, limits),
    getMessage: getMessage(context),
    getPayload: getPayload(context),
    listAttempts: listAttempts(context),
    ...messageChanges(context),
    listScheduledMessages: listScheduledMessages(context),
    listDeadLetters: listDeadLetters(context),
    join: join(context),
    async renew(holder) {
      await readDatabaseClock();
      const renewed = await renewLife(holder);
      // Not waited for: a lease must not hang on what a slow claim holds up. The next renewal tries again.
      if (renewed) voidLost(holder).catch(() => {});
      return renewed;
    },
    leave: leave(context),
    listNodes: listNodes(context),
    endDeadLives: endDeadLives(context),
    upcoming: upcoming(context),
    claimDue: claimDue(context),
    recordAttempts: (holder, results) => record(results.map((result) => ({ holder, result }))),
    releaseClaims: releaseClaims(context),
    removeExpired: removeExpired(context),
    createTarget: createTarget(context),
    getTarget: getTarget(context),
    getTargetByKey: getTargetByKey(context),
    listTargets: listTargets(context),
    updateTarget: updateTarget(context),
    removeTarget: removeTarget(context),
    beginTest: beginTest(context),
    endTest: endTest(context),
    ensureAccount: ensureAccount(context),
    createAccount: createAccount(context),
    getAccount: getAccount(context),
    listAccounts: listAccounts(context),
    updateAccount: updateAccount(context),
    removeAccount: removeAccount(context),
    getUsage: getUsage(context),
    takeRequests: takeRequests(context),
    listAuditEntries: listAuditEntries(context),
    createKey: createKey(context),
    replaceKey: replaceKey(context),
    findKey: findKey(context),
    listKeys: listKeys(context),
    revokeKey: revokeKey(context),
    createClient: createClient(context),
    findClient: findClient(context),
    getClient: getClient(context),
    listClients: listClients(context),
    rotateClientSecret: rotateClientSecret(context),
    removeClient: removeClient(context),
    findTokenHolder: findTokenHolder(context),
    revokeToken: revokeToken(context),
    listSigningKeys: listSigningKeys(context),
    addSigningKey: addSigningKey(context),
    removeSigningKey: removeSigningKey(context),
    encryptionCheck: encryptionCheck(context),
    keepEncryptionCheck: keepEncryptionCheck(context),
    async ping() {
      await aside.query({ name: "ping", text: "SELECT 1" });
    },
    counts: countPending({ connections: aside }),
    async close() {
      await Promise.all([connections.close(), aside.close()]);
    },
  };
}
