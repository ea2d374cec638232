import { defaultAuditRetentionMs } from "../../domain/audit.ts";
import { defaultEventLimit, defaultEventRetentionMs } from "../../domain/events/event.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { systemClock } from "../../platform/clock.ts";
import { createMessageIdGenerator } from "../../platform/message-ids.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { SchemaUpgrade } from "../schema-version.ts";
import type { Store } from "../store.ts";
import { BacklogHeads } from "./claims/backlog-heads.ts";
import { ClaimGate } from "./claims/claim-gate.ts";
import { forWork, openConnections } from "./connections/connections.ts";
import type { PartSize } from "./connections/connections.ts";
import { boundsWithin } from "./connections/session-settings.ts";
import type { Context, WorkContext } from "./queries/context.ts";
import { DatabaseClock } from "./clock/database-clock.ts";
import { gather } from "./batches/gather.ts";
import { HeldMessages } from "./claims/held-messages.ts";
import { LongLogs } from "../event-log/long-logs.ts";
import { prepareSchema } from "./migrate.ts";
import { messageChanges } from "./queries/change-message.ts";
import { renew } from "./queries/nodes.ts";
import { recordAttempts } from "./queries/record-attempts.ts";
import { readClock } from "./queries/read-clock.ts";
import { scheduleMessages } from "./queries/schedule-messages.ts";
import { voidLostClaims } from "./queries/void-lost-claims.ts";
import { TestClaims } from "./claims/test-claims.ts";
import { WatchedMemberships } from "./claims/watched-memberships.ts";
import { prepareVerbs } from "./verbs.ts";
import type { ConnectionPart, VerbConnections } from "./verbs.ts";

export interface PostgresStoreOptions {
  readonly databaseUrl: string;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs?: number;
  readonly eventRetentionMs?: number;
  readonly eventLimit?: number;
  /** The limits of new accounts; null or absent: none. */
  readonly monthlyMessageLimit?: number | null;
  readonly requestLimit?: RateLimit | null;
  readonly onBatch?: (size: number) => void;
  /** How long a node may stay silent before others take over what it holds. */
  readonly leaseMs: number;
  readonly schemaUpgrade?: SchemaUpgrade;
  /** The version of the time-zone data that this process has. Of two texts the greater one is newer. */
  readonly timeZoneVersion?: string;
  /** The longest a call may take. The time limits of a session are fractions of it. */
  readonly deadlineMs?: number;
}

/**
 * How many of a node's connections each part may use. A part's connections serve its own calls even
 * while all other parts wait, so callers cannot use up the connections that keep the node alive or
 * deliver. Within a part, no single account and no single kind of work can take all of them.
 */
const connectionParts: Readonly<Record<ConnectionPart, PartSize>> = {
  lease: { places: 1 },
  delivery: { places: 3, placesOfOne: 2 },
  /** Apart from deliveries: many schedules may be due at the same time. */
  schedules: { places: 2 },
  callers: { places: 6, placesOfOne: 3 },
  /** Apart from deliveries: events are moved, looked for and sent all the time. */
  events: { places: 2, placesOfOne: 1 },
  /** Counting may take a while. No other call waits for it, and accounts take turns. */
  statistics: { places: 2, placesOfOne: 1 },
  /** Anybody may ask for a ping or a count. Neither waits for other calls, nor for each other. */
  watching: { places: 2, placesOfOne: 1 },
};
const connectionsAtMost = Object.values(connectionParts).reduce(
  (sum, { places }) => sum + places,
  0,
);
const defaultDeadlineMs = 8_000;
/** After this time every node refuses a revoked key. The revocation is answered only then. */
const credentialMs = 500;
const clockReadings = 5;

/** The store for several nodes: one PostgreSQL, whose clock decides. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { onBatch = () => {}, leaseMs, deadlineMs = defaultDeadlineMs } = options;
  await prepareSchema(options.databaseUrl, options.schemaUpgrade ?? "auto");
  const connections = openConnections(options.databaseUrl, { max: connectionsAtMost, deadlineMs });
  const parts = {
    lease: connections.part(connectionParts.lease),
    delivery: connections.part(connectionParts.delivery),
    schedules: connections.part(connectionParts.schedules),
    events: connections.part(connectionParts.events),
    callers: connections.part(connectionParts.callers),
    statistics: connections.part(connectionParts.statistics),
    watching: connections.part(connectionParts.watching),
  };
  const clock = new DatabaseClock(systemClock);
  const readDatabaseClock = (): Promise<void> =>
    clock.learn(() => readClock(forWork("clock", parts.lease).query));
  try {
    for (let reading = 0; reading < clockReadings; reading++) await readDatabaseClock();
  } catch (error) {
    await connections.close();
    throw error;
  }
  const context: Context = {
    connections: parts.callers,
    clock: systemClock,
    databaseClock: clock,
    timers: systemTimers,
    random: systemRandom,
    timeZones: new TimeZones(),
    timeZoneVersion: options.timeZoneVersion ?? process.versions["tz"] ?? "",
    ids: createMessageIdGenerator({ clock, random: systemRandom, after: 0 }),
    retentionMs: options.retentionMs,
    idempotencyRetentionMs: options.idempotencyRetentionMs,
    auditRetentionMs: options.auditRetentionMs ?? defaultAuditRetentionMs,
    eventRetentionMs: options.eventRetentionMs ?? defaultEventRetentionMs,
    monthlyMessageLimit: options.monthlyMessageLimit ?? null,
    requestLimit: options.requestLimit ?? null,
    leaseMs,
    // Then at the latest the database refuses to wait for a lock; only silence lasts longer.
    soonestAbandonedMs: boundsWithin(deadlineMs).lockMs,
    held: new HeldMessages(),
    tests: new TestClaims(),
    backlogs: new BacklogHeads(systemClock),
    gate: new ClaimGate(),
    watched: new WatchedMemberships(systemClock),
    longLogs: new LongLogs(options.eventLimit ?? defaultEventLimit),
  };
  const on = ({ part, work }: VerbConnections): WorkContext => ({
    ...context,
    connections: forWork(work, parts[part]),
  });
  const gathering: (() => number)[] = [];
  const watch = (waiting: () => number): void => void gathering.push(waiting);
  const limits = { mostWeight: 1_000, mostUnderWay: 2, onBatch, watch };
  const record = gather(recordAttempts(on({ part: "delivery", work: "record" })), {
    ...limits,
    apart: ({ holder, result: { messageId } }) =>
      String(context.held.find(holder, messageId)?.targetKey ?? messageId),
  });
  const renewMembership = renew(on({ part: "lease", work: "renew" }));
  const voidLost = voidLostClaims(on({ part: "delivery", work: "nodes" }));
  return {
    ...prepareVerbs(context, on),
    ...messageChanges(context),
    clock,
    sharing: { leaseMs, credentialMs },
    waitingCalls: () =>
      gathering.reduce((count, waiting) => count + waiting(), connections.waiting()),
    scheduleMessages: scheduleMessages(on({ part: "callers", work: "schedule" }), clock, limits),
    recordAttempts: (holder, results) => record(results.map((result) => ({ holder, result }))),
    async renew(holder) {
      await readDatabaseClock();
      const renewed = await renewMembership(holder);
      // Not awaited: a slow claim must not delay the renewal. The next renewal tries again.
      if (renewed) voidLost(holder).catch(() => {});
      return renewed;
    },
    close: () => connections.close(),
  };
}
