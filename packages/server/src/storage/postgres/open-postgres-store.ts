import { defaultAuditRetentionMs } from "../../domain/audit.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { systemClock } from "../../platform/clock.ts";
import { createMessageIdGenerator } from "../../platform/message-ids.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { SchemaUpgrade } from "../schema-version.ts";
import type { Store } from "../store.ts";
import { BacklogHeads } from "./claims/backlog-heads.ts";
import { ClaimGate } from "./claims/claim-gate.ts";
import { inTheNameOf, openConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";
import type { Context } from "./context.ts";
import { DatabaseClock } from "./database-clock.ts";
import { gather } from "./gather.ts";
import { HeldMessages } from "./claims/held-messages.ts";
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
import { upcomingByTarget } from "./queries/upcoming-by-target.ts";
import {
  createTarget,
  getTarget,
  getTargetByKey,
  listTargets,
  removeTarget,
  updateTarget,
} from "./queries/targets.ts";
import { TestClaims } from "./claims/test-claims.ts";

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
  /** No call takes longer than this; what a session may hold and wait for is a part of it. */
  readonly deadlineMs?: number;
}

/**
 * Who may use how many of a node's connections. Each part is there for its own calls whatever those of
 * the others wait for, so that callers can use up neither what keeps the node alive nor what delivers.
 * Within a part no single account, and no single kind of work, has all of it.
 */
const connectionParts = {
  lease: { places: 1 },
  delivery: { places: 3, placesOfOne: 2 },
  callers: { places: 6, placesOfOne: 3 },
  /** Anybody may ask for a ping and a count: they wait for nobody else, and neither for the other. */
  watching: { places: 2, placesOfOne: 1 },
};
const connectionsAtMost = Object.values(connectionParts).reduce(
  (sum, { places }) => sum + places,
  0,
);
const defaultDeadlineMs = 8_000;
/** A revoked key is refused everywhere after this; until then its revocation is not answered. */
const credentialMs = 500;
const clockReadings = 5;

/** The store for several nodes: one PostgreSQL, whose clock decides. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { onBatch = () => {}, leaseMs, deadlineMs = defaultDeadlineMs } = options;
  await prepareSchema(options.databaseUrl, options.schemaUpgrade ?? "auto");
  const connections = openConnections(options.databaseUrl, { max: connectionsAtMost, deadlineMs });
  const lease = connections.part(connectionParts.lease);
  const delivery = connections.part(connectionParts.delivery);
  const callers = connections.part(connectionParts.callers);
  const watching = connections.part(connectionParts.watching);
  const clock = new DatabaseClock(systemClock);
  const readDatabaseClock = (): Promise<void> => clock.learn(() => readClock(lease));
  try {
    for (let reading = 0; reading < clockReadings; reading++) await readDatabaseClock();
  } catch (error) {
    await connections.close();
    throw error;
  }
  const context: Context = {
    connections: callers,
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
  const on = (part: Connections, work: string): Context => ({
    ...context,
    connections: inTheNameOf(work, part),
  });
  const limits = { mostWeight: 1_000, mostUnderWay: 2, onBatch };
  const record = gather(recordAttempts(on(delivery, "record")), {
    ...limits,
    apart: ({ holder, result: { messageId } }) =>
      String(context.held.find(holder, messageId)?.targetKey ?? messageId),
  });
  const renewLife = renew(on(lease, "renew"));
  const voidLost = voidLostClaims(on(delivery, "nodes"));
  return {
    clock,
    sharing: { leaseMs, credentialMs },
    scheduleMessages: scheduleMessages(on(callers, "schedule"), clock, limits),
    getMessage: getMessage(context),
    getPayload: getPayload(context),
    listAttempts: listAttempts(context),
    ...messageChanges(context),
    listScheduledMessages: listScheduledMessages(context),
    listDeadLetters: listDeadLetters(context),
    join: join(on(lease, "join")),
    async renew(holder) {
      await readDatabaseClock();
      const renewed = await renewLife(holder);
      // Not waited for: a lease must not hang on what a slow claim holds up. The next renewal tries again.
      if (renewed) voidLost(holder).catch(() => {});
      return renewed;
    },
    leave: leave(on(delivery, "nodes")),
    listNodes: listNodes(on(delivery, "nodes")),
    endDeadLives: endDeadLives(on(delivery, "nodes")),
    upcoming: upcoming(on(delivery, "look")),
    upcomingByTarget: upcomingByTarget(on(delivery, "look")),
    claimDue: claimDue(on(delivery, "claim")),
    recordAttempts: (holder, results) => record(results.map((result) => ({ holder, result }))),
    releaseClaims: releaseClaims(on(delivery, "release")),
    removeExpired: removeExpired(on(delivery, "expiry")),
    createTarget: createTarget(context),
    getTarget: getTarget(context),
    getTargetByKey: getTargetByKey(on(delivery, "targets")),
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
    takeRequests: takeRequests(on(callers, "requests")),
    listAuditEntries: listAuditEntries(context),
    createKey: createKey(context),
    replaceKey: replaceKey(context),
    findKey: findKey(on(callers, "credentials")),
    listKeys: listKeys(context),
    revokeKey: revokeKey(context),
    createClient: createClient(context),
    findClient: findClient(on(callers, "credentials")),
    getClient: getClient(context),
    listClients: listClients(context),
    rotateClientSecret: rotateClientSecret(context),
    removeClient: removeClient(context),
    findTokenHolder: findTokenHolder(on(callers, "credentials")),
    revokeToken: revokeToken(context),
    listSigningKeys: listSigningKeys(context),
    addSigningKey: addSigningKey(context),
    removeSigningKey: removeSigningKey(context),
    encryptionCheck: encryptionCheck(context),
    keepEncryptionCheck: keepEncryptionCheck(context),
    async ping() {
      await watching.query({ name: "ping", text: "SELECT 1" }, "ping");
    },
    counts: countPending({ connections: inTheNameOf("counts", watching) }),
    close: () => connections.close(),
  };
}
