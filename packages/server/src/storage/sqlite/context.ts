import type { DatabaseSync } from "node:sqlite";
import type { RateLimit } from "../../domain/rate-limit.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MessageIdGenerator } from "../../platform/message-ids.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Accounts } from "./accounts.ts";
import type { AuditLog } from "./audit-log.ts";
import type { ClaimBook } from "./claim-book.ts";
import type { KnownTargets } from "./known-targets.ts";
import type { MessageTable } from "./message-table.ts";
import type { RequestBuckets } from "./request-buckets.ts";
import type { TargetRates } from "./target-rates.ts";
import type { TestBook } from "./test-book.ts";
import type { Transaction } from "./transaction.ts";
import type { UsageCounters } from "./usage-counters.ts";

/** What every query needs; one per open database. */
export interface Context {
  readonly db: DatabaseSync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: MessageIdGenerator;
  readonly transaction: Transaction;
  readonly claims: ClaimBook;
  readonly accounts: Accounts;
  readonly targets: KnownTargets;
  readonly messages: MessageTable;
  readonly usage: UsageCounters;
  readonly audit: AuditLog;
  readonly requests: RequestBuckets;
  readonly rates: TargetRates;
  readonly tests: TestBook;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs: number;
  /** What new accounts have; null: none. */
  readonly monthlyMessageLimit: number | null;
  readonly requestLimit: RateLimit | null;
}
