import type { AccessKey } from "../../../src/domain/access.ts";
import type { Account } from "../../../src/domain/account.ts";
import type { KeyRotation } from "../../../src/domain/key-rotation.ts";
import type { Client } from "../../../src/domain/client.ts";
import type { Instant } from "../../../src/domain/message.ts";
import type { Session } from "../../../src/domain/session.ts";
import type { TimeZones } from "../../../src/domain/time-zones/time-zones.ts";
import type { FullAt, RateLimit } from "../../../src/domain/rate-limit.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Random } from "../../../src/platform/random.ts";
import type { MessageIdGenerator } from "../../../src/platform/message-ids.ts";
import type { KeptSigningKey, NodeRole } from "../../../src/storage/store.ts";
import { EventTable } from "./event-table.ts";
import { ActivityTable } from "./activity-table.ts";
import { AuditLog } from "./audit-log.ts";
import { ClaimTable } from "./claim-table.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { JobTable } from "./job-table.ts";
import { MessageTable } from "./message-table.ts";
import type { Silence } from "../../../src/storage/postgres/claims/watched-memberships.ts";
import type { Rules } from "./rules.ts";
import type { ScheduleEvent } from "./schedule-journal.ts";
import { ScheduleTable } from "./schedule-table.ts";
import { TargetTable } from "./target-table.ts";
import { TestTable } from "./test-table.ts";
import { UsageCounts } from "./usage-counts.ts";

/** A node's membership: from its joining until it leaves, joins again, or is found dead. */
export interface NodeMembership {
  readonly nodeId: string;
  readonly epoch: number;
  readonly role: NodeRole;
  /** Of the node's time-zone data. */
  readonly timeZoneVersion: string;
  readonly joinTime: Instant;
  /** Null if the node is alone on the database. */
  readonly leaseMs: number | null;
  renewalTime: Instant;
  /** The same, in monotonic time. */
  renewedAt: number;
  renewals: number;
}

export interface KeptAccount {
  account: Account;
  /** A removed account stays, so that no other account ever gets its id. */
  removalTime: Instant | null;
  /** Everything of the account that must be removed is gone. */
  emptied: boolean;
}

export interface KeptClient {
  readonly client: Client;
  readonly secretHash: string;
  readonly previous: { readonly hash: string; readonly until: Instant } | null;
}

/** Everything that the nodes on one database share. */
export interface DatabaseState {
  /** Called for a membership that ended without the node leaving, with how long ago it ended. */
  readonly membershipEnded: (nodeId: string, agoMs: number) => void;
  readonly clock: Clock;
  readonly ids: MessageIdGenerator;
  readonly random: Random;
  readonly rules: Rules;
  readonly messages: MessageTable;
  readonly claims: ClaimTable;
  readonly targets: TargetTable;
  readonly tests: TestTable;
  readonly usage: UsageCounts;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly jobs: JobTable;
  readonly schedules: ScheduleTable;
  /** In the order of the commits. */
  readonly scheduleJournal: ScheduleEvent[];
  readonly events: EventTable;
  readonly activity: ActivityTable;
  /** By epoch. */
  readonly memberships: Map<number, NodeMembership>;
  /** By epoch, what nodes have seen. */
  readonly silences: Map<number, Silence>;
  readonly accounts: Map<string, KeptAccount>;
  /** By hash. */
  readonly accessKeys: Map<string, AccessKey>;
  /** By hash. */
  readonly sessions: Map<string, Session>;
  readonly clients: Map<string, KeptClient>;
  /** By token, the instant until which it is remembered. */
  readonly revokedTokens: Map<string, Instant>;
  /** The oldest comes first. */
  readonly signingKeys: KeptSigningKey[];
  readonly requestBuckets: Map<string, FullAt>;
  readonly auditLog: AuditLog;
  lastEpoch: number;
  encryptionCheck: string | null;
  readonly encryption: KeptEncryption;
}

/** Which keys seal values. */
export interface KeptEncryption {
  readonly keyIds: Set<string>;
  /** By node, what it said when it started. */
  readonly nodes: Map<
    string,
    { readonly keyId: string; readonly readable: readonly string[]; readonly since: Instant }
  >;
  rotation: KeyRotation | null;
  revision: number;
}

/** The settings with which a node opens its store. */
export interface NodeSettings {
  readonly nodeId: string;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs: number;
  readonly eventRetentionMs: number;
  readonly eventLimit: number;
  /** The limit of new accounts. Null means none. */
  readonly monthlyMessageLimit: number | null;
  readonly requestLimit: RateLimit | null;
  /**
   * Null if the node is alone on the database. Its membership then lasts until the next start, as on the
   * embedded store.
   */
  readonly leaseMs: number | null;
  /** What the node computes the times of schedules with. */
  readonly timeZones: TimeZones;
  readonly timeZoneVersion: string;
}

/** What every verb needs. One for each open store. */
export interface Context {
  readonly state: DatabaseState;
  readonly node: NodeSettings;
  /** The memberships that the node has seen quiet. */
  readonly quiet: () => readonly Silence[];
}

export function createDatabaseState(
  parts: Pick<DatabaseState, "clock" | "ids" | "random" | "rules" | "membershipEnded">,
): DatabaseState {
  return {
    ...parts,
    messages: new MessageTable(),
    claims: new ClaimTable(),
    targets: new TargetTable(),
    tests: new TestTable(),
    usage: new UsageCounts(),
    idempotencyKeys: new IdempotencyKeys(),
    jobs: new JobTable(),
    schedules: new ScheduleTable(),
    scheduleJournal: [],
    events: new EventTable(),
    activity: new ActivityTable(),
    memberships: new Map(),
    silences: new Map(),
    accounts: new Map(),
    accessKeys: new Map(),
    sessions: new Map(),
    clients: new Map(),
    revokedTokens: new Map(),
    signingKeys: [],
    requestBuckets: new Map(),
    auditLog: new AuditLog(),
    lastEpoch: 0,
    encryptionCheck: null,
    encryption: { keyIds: new Set(), nodes: new Map(), rotation: null, revision: 0 },
  };
}

export function liveAccount(state: DatabaseState, accountId: string): Account | undefined {
  const kept = state.accounts.get(accountId);
  return kept?.removalTime === null ? kept.account : undefined;
}
