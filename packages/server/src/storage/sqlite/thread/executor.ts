import { defaultAuditRetentionMs } from "../../../domain/audit.ts";
import { defaultEventLimit, defaultEventRetentionMs } from "../../../domain/events/event.ts";
import type { RateLimit } from "../../../domain/rate-limit.ts";
import { TimeZones } from "../../../domain/time-zones/time-zones.ts";
import type { Clock } from "../../../platform/clock.ts";
import { createMessageIdGenerator } from "../../../platform/message-ids.ts";
import type { Random } from "../../../platform/random.ts";
import type { Timers } from "../../../platform/timers.ts";
import { createAccounts } from "../tables/accounts.ts";
import { createAuditLog } from "../tables/audit-log.ts";
import { ClaimBook } from "../claims/claim-book.ts";
import { JobBook } from "../claims/job-book.ts";
import { Deferred } from "../queries/deferred.ts";
import { EndpointTable } from "../tables/events/endpoint-table.ts";
import { EventLog } from "../tables/events/event-log.ts";
import { EventMasks } from "../tables/events/event-masks.ts";
import { LogHeads } from "../tables/events/log-heads.ts";
import { LongLogs } from "../../event-log/long-logs.ts";
import { TargetHealthTable } from "../tables/events/target-health-table.ts";
import { JobMessages } from "../tables/job-messages.ts";
import { JobTable } from "../tables/job-table.ts";
import { createKnownTargets } from "../tables/known-targets.ts";
import { MessageTable } from "../tables/message-table.ts";
import { MovedRuns } from "../tables/moved-runs.ts";
import { RunTable } from "../tables/run-table.ts";
import { ScheduleTable } from "../tables/schedule-table.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { RequestBuckets } from "../quotas/request-buckets.ts";
import { TargetRates } from "../quotas/target-rates.ts";
import { TestBook } from "../claims/test-book.ts";
import { WebhookBook } from "../claims/webhook-book.ts";
import { Transaction } from "../database/transaction.ts";
import { UsageCounters } from "../quotas/usage-counters.ts";
import { prepareVerbs, verbs } from "./verbs.ts";
import type { VerbName } from "./verbs.ts";

export interface Call {
  readonly id: number;
  readonly verb: VerbName;
  readonly args: readonly unknown[];
}

export type Reply =
  | {
      readonly id: number;
      readonly kind: "done";
      readonly verb: VerbName;
      readonly value: unknown;
    }
  /** `unavailable`: the disk is at fault, not the call. */
  | {
      readonly id: number;
      readonly kind: "failed";
      readonly unavailable: boolean;
      readonly message: string;
    };

export interface ExecutorOptions {
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly retentionMs: number;
  readonly idempotencyRetentionMs: number;
  readonly auditRetentionMs?: number;
  readonly eventRetentionMs?: number;
  readonly eventLimit?: number;
  /** The limits of new accounts; null or absent: none. */
  readonly monthlyMessageLimit?: number | null;
  readonly requestLimit?: RateLimit | null;
  /** Receives the reply to a call that waited for an attempt, outside any batch. */
  readonly replyLate: (reply: Reply) => void;
}

/**
 * Runs calls against the database. Calls handed over together share a commit. They are answered
 * after it, so that no caller sees what a failed commit undoes.
 */
export class Executor {
  readonly #options: ExecutorOptions;
  readonly #transaction: Transaction;
  readonly #claims: ClaimBook;
  readonly #messages: MessageTable;
  readonly #usage: UsageCounters;
  readonly #rates: TargetRates;
  readonly #events: EventLog;
  readonly #verbs: Readonly<Record<VerbName, (...args: never[]) => unknown>>;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    const { db } = options.database;
    this.#transaction = new Transaction(db, options.clock);
    const accounts = createAccounts(db, this.#transaction);
    const movedRuns = new MovedRuns(db);
    const longLogs = new LongLogs<number>(options.eventLimit ?? defaultEventLimit);
    const logHeads = new LogHeads(db, this.#transaction, longLogs);
    const masks = new EventMasks(db, this.#transaction);
    this.#events = new EventLog(db, {
      ...{ transaction: this.#transaction, random: options.random, masks, heads: logHeads },
    });
    const events = this.#events;
    const targetHealth = new TargetHealthTable(db, this.#transaction);
    const jobBook = new JobBook(this.#transaction);
    this.#messages = new MessageTable(db, {
      ...{ accounts, clock: options.clock, transaction: this.#transaction, movedRuns, events },
    });
    this.#usage = new UsageCounters(db, this.#transaction);
    this.#rates = new TargetRates(db, this.#transaction);
    this.#claims = new ClaimBook(this.#transaction);
    const last = db.prepare("SELECT max(message_key) AS last FROM messages").get() as {
      last: number | null;
    };
    this.#verbs = prepareVerbs({
      db,
      clock: options.clock,
      timers: options.timers,
      random: options.random,
      ids: createMessageIdGenerator({ ...options, after: last.last ?? 0 }),
      transaction: this.#transaction,
      claims: this.#claims,
      accounts,
      targets: createKnownTargets(db, this.#transaction),
      messages: this.#messages,
      usage: this.#usage,
      audit: createAuditLog(db, options.clock),
      requests: new RequestBuckets(this.#transaction),
      rates: this.#rates,
      tests: new TestBook(this.#transaction),
      jobs: new JobTable(db, accounts, options.clock, options.retentionMs),
      jobMessages: new JobMessages(db),
      jobBook,
      webhookBook: new WebhookBook(this.#transaction, jobBook),
      schedules: new ScheduleTable(db, accounts, this.#transaction),
      runs: new RunTable(db, movedRuns),
      movedRuns,
      events,
      eventMasks: masks,
      logHeads,
      longLogs,
      endpoints: new EndpointTable(db, { accounts, masks, health: targetHealth }),
      targetHealth,
      timeZones: new TimeZones(),
      retentionMs: options.retentionMs,
      idempotencyRetentionMs: options.idempotencyRetentionMs,
      auditRetentionMs: options.auditRetentionMs ?? defaultAuditRetentionMs,
      eventRetentionMs: options.eventRetentionMs ?? defaultEventRetentionMs,
      monthlyMessageLimit: options.monthlyMessageLimit ?? null,
      requestLimit: options.requestLimit ?? null,
    });
  }

  /** Answers all calls but those that wait for an attempt: they are answered by `replyLate`. */
  execute(calls: readonly Call[]): Reply[] {
    let replies: Reply[] = [];
    const runAll = (): void => {
      replies = [];
      for (const call of calls) this.#run(call, replies);
    };
    try {
      if (calls.some((call) => verbs[call.verb].writes)) {
        this.#transaction.run(() => {
          runAll();
          this.#messages.persistPending();
          this.#usage.persistAll();
          this.#rates.persistAll();
          this.#events.persistAll();
        });
      } else {
        this.#transaction.runReading(runAll);
      }
    } catch (error) {
      return this.#fail(calls, error);
    }
    return replies;
  }

  /** How long the disk took for the last commit. */
  get commitMs(): number {
    return this.#transaction.commitMs;
  }

  close(): void {
    this.#claims.clear();
    this.#options.database.close();
  }

  #run({ id, verb, args }: Call, replies: Reply[]): void {
    const value = this.#verbs[verb](...(args as never[]));
    if (value instanceof Deferred) {
      value.whenSettled((settled) =>
        this.#options.replyLate({ id, kind: "done", verb, value: settled }),
      );
    } else {
      replies.push({ id, kind: "done", verb, value });
    }
  }

  /** One bad call must not fail the others of its batch: each is tried again by itself. */
  #fail(calls: readonly Call[], error: unknown): Reply[] {
    const unavailable = isDiskTrouble(error);
    if (!unavailable && calls.length > 1) {
      return calls.flatMap((call) => this.execute([call]));
    }
    const message = error instanceof Error ? error.message : String(error);
    return calls.map(({ id }) => ({ id, kind: "failed", unavailable, message }));
  }
}

/** SQLite's primary result codes for a database that is busy, full, read-only or unreadable. */
const diskTroubles = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);

function isDiskTrouble(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === "number" && diskTroubles.has(code & 0xff);
}
