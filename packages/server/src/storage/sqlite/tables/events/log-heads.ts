import type { DatabaseSync } from "node:sqlite";
import type { EventPosition } from "../../../../domain/events/event.ts";
import type { Instant } from "../../../../domain/instant.ts";
import type { LongLogs } from "../../../event-log/long-logs.ts";
import type { LogPlace, OldEvents } from "../../../event-log/bundles.ts";
import type { LogSpan } from "../../../store.ts";
import type { Transaction } from "../../database/transaction.ts";

interface Head {
  last: EventPosition;
  removedUpTo: EventPosition;
  removedMark: string | null;
  firstTime: Instant | null;
  lastTime: Instant;
  /** The row does not say it yet. */
  isAhead: boolean;
}

/**
 * Where the logs of accounts begin and end. Within a commit they are kept in memory, so that each log has its row written
 * once.
 */
export class LogHeads {
  readonly #transaction: Transaction;
  readonly #longLogs: LongLogs<number>;
  readonly #select;
  readonly #write;
  readonly #heads = new Map<number, Head>();

  constructor(db: DatabaseSync, transaction: Transaction, longLogs: LongLogs<number>) {
    this.#transaction = transaction;
    this.#longLogs = longLogs;
    this.#select = db.prepare(
      `SELECT last_position, removed_up_to, removed_mark, first_time, last_time FROM event_logs
       WHERE account_key = ?`,
    );
    this.#write = db.prepare(
      `INSERT INTO event_logs (account_key, last_position, removed_up_to, removed_mark, first_time, last_time)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET last_position = excluded.last_position,
         removed_up_to = excluded.removed_up_to, removed_mark = excluded.removed_mark,
         first_time = excluded.first_time,
         last_time = excluded.last_time`,
    );
  }

  /** The next place in the log of an account. */
  next(accountKey: number, time: Instant): LogPlace {
    const head = this.#change(accountKey);
    head.last++;
    head.lastTime = Math.max(head.lastTime, time);
    head.firstTime ??= head.lastTime;
    return { position: head.last, logTime: head.lastTime };
  }

  spanOf(accountKey: number): LogSpan {
    const { last, removedUpTo } = this.#heads.get(accountKey) ?? this.#read(accountKey);
    return { last, removedUpTo };
  }

  /** Of the last event that was removed; null: none was. */
  removedMarkOf(accountKey: number): string | null {
    return (this.#heads.get(accountKey) ?? this.#read(accountKey)).removedMark;
  }

  /** These events are gone. */
  remove(accountKey: number, { upTo, mark, nextTime }: OldEvents): void {
    const head = this.#change(accountKey);
    head.removedUpTo = upTo;
    head.removedMark = mark ?? head.removedMark;
    head.firstTime = nextTime;
  }

  /** Runs last before a commit. */
  persistAll(): void {
    for (const [accountKey, head] of this.#heads) {
      if (!head.isAhead) continue;
      const { last, removedUpTo, removedMark, firstTime, lastTime } = head;
      this.#write.run(accountKey, last, removedUpTo, removedMark, firstTime, lastTime);
      this.#longLogs.saw(accountKey, head);
    }
    this.#heads.clear();
  }

  #change(accountKey: number): Head {
    let head = this.#heads.get(accountKey);
    if (head === undefined) {
      head = this.#read(accountKey);
      this.#heads.set(accountKey, head);
      this.#transaction.onRollback(() => this.#heads.clear());
    }
    head.isAhead = true;
    return head;
  }

  #read(accountKey: number): Head {
    const row = this.#select.get(accountKey);
    return {
      last: (row?.["last_position"] as number | undefined) ?? 0,
      removedUpTo: (row?.["removed_up_to"] as number | undefined) ?? 0,
      removedMark: (row?.["removed_mark"] as string | null | undefined) ?? null,
      firstTime: (row?.["first_time"] as number | null | undefined) ?? null,
      lastTime: (row?.["last_time"] as number | undefined) ?? Number.MIN_SAFE_INTEGER,
      isAhead: false,
    };
  }
}
