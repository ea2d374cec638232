import type { DatabaseSync } from "node:sqlite";
import type { RateLimit } from "../../../domain/rate-limit.ts";
import type { TimeZones } from "../../../domain/time-zones/time-zones.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { MessageIdGenerator } from "../../../platform/message-ids.ts";
import type { Random } from "../../../platform/random.ts";
import type { Timers } from "../../../platform/timers.ts";
import type { Accounts } from "../tables/accounts.ts";
import type { AuditLog } from "../tables/audit-log.ts";
import type { ClaimBook } from "../claims/claim-book.ts";
import type { JobBook } from "../claims/job-book.ts";
import type { JobMessages } from "../tables/job-messages.ts";
import type { JobTable } from "../tables/job-table.ts";
import type { KnownTargets } from "../tables/known-targets.ts";
import type { MessageTable } from "../tables/message-table.ts";
import type { MovedRuns } from "../tables/moved-runs.ts";
import type { RunTable } from "../tables/run-table.ts";
import type { ScheduleTable } from "../tables/schedule-table.ts";
import type { RequestBuckets } from "../quotas/request-buckets.ts";
import type { TargetRates } from "../quotas/target-rates.ts";
import type { TestBook } from "../claims/test-book.ts";
import type { Transaction } from "../database/transaction.ts";
import type { UsageCounters } from "../quotas/usage-counters.ts";

/** What every query needs; one for each open database. */
export interface Context {
  readonly db: DatabaseSync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
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
  readonly jobs: JobTable;
  readonly jobMessages: JobMessages;
  readonly jobBook: JobBook;
  readonly schedules: ScheduleTable;
  readonly runs: RunTable;
  readonly movedRuns: MovedRuns;
  readonly timeZones: TimeZones;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs: number;
  /** The limits of new accounts; null: none. */
  readonly monthlyMessageLimit: number | null;
  readonly requestLimit: RateLimit | null;
}
