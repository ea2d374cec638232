import type { RateLimit } from "../../../domain/rate-limit.ts";
import type { TimeZones } from "../../../domain/time-zones/time-zones.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { MessageIdGenerator } from "../../../platform/message-ids.ts";
import type { Random } from "../../../platform/random.ts";
import type { Timers } from "../../../platform/timers.ts";
import type { LongLogs } from "../../event-log/long-logs.ts";
import type { BacklogHeads } from "../claims/backlog-heads.ts";
import type { ClaimGate } from "../claims/claim-gate.ts";
import type { Connections, SharedConnections } from "../connections/connections.ts";
import type { DatabaseClock } from "../clock/database-clock.ts";
import type { HeldMessages } from "../claims/held-messages.ts";
import type { TestClaims } from "../claims/test-claims.ts";
import type { WatchedMemberships } from "../claims/watched-memberships.ts";

/** What every query needs; one for each open store. Its queries give the account's id as a name. */
export interface Context {
  readonly connections: SharedConnections;
  readonly clock: Clock;
  readonly databaseClock: DatabaseClock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: MessageIdGenerator;
  readonly timeZones: TimeZones;
  /** Of the data of these zones, such as "2026a". */
  readonly timeZoneVersion: string;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs: number;
  readonly eventRetentionMs: number;
  readonly leaseMs: number;
  /** No call gives up a statement sooner than this. */
  readonly soonestAbandonedMs: number;
  /** The limits of new accounts; null: none. */
  readonly monthlyMessageLimit: number | null;
  readonly requestLimit: RateLimit | null;
  readonly held: HeldMessages;
  readonly tests: TestClaims;
  readonly backlogs: BacklogHeads;
  readonly gate: ClaimGate;
  readonly watched: WatchedMemberships;
  readonly longLogs: LongLogs<string>;
}

/** What a query needs that belongs to no account: its connections have the name of its work. */
export interface WorkContext extends Context {
  readonly connections: Connections;
}
