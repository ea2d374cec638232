import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { answerCalls } from "../processes/answer-calls.ts";
import { laterDraft, payloadOf } from "../processes/requests.ts";

/**
 * The limit of storing: rows like those of pending messages go into SQLite, one transaction after the
 * other, each synced. Nothing is parsed, checked, looked up or answered. Rows of earlier measurements
 * stay, as they do with the service: the more rows there are, the more pages a batch touches.
 */
const databases = new Map<string, { readonly db: DatabaseSync; rows: number }>();

function databaseIn(folder: string, batch: number) {
  const path = join(folder, `rows-by-${batch}.db`);
  let known = databases.get(path);
  if (known === undefined) {
    const db = new DatabaseSync(path);
    db.exec(schema);
    known = { db, rows: 0 };
    databases.set(path, known);
  }
  return known;
}

const calls = {
  rowsPerSecond({
    folder,
    batch,
    measuredMs,
  }: {
    readonly folder: string;
    readonly batch: number;
    readonly measuredMs: number;
  }): number {
    const kept = databaseIn(folder, batch);
    const { db } = kept;
    const insert = db.prepare(
      `INSERT INTO messages (message_key, message_id, account_key, target_key, state, version,
         scheduling_time, original_delivery_time, next_delivery_time, delivery_failure_count,
         attempt_count, attempts_this_round, planning_time, payload)
       VALUES (?, ?, 1, ?, 0, 1, ?, ?, ?, 0, 0, 0, ?, ?)`,
    );
    const id = randomBytes(16);
    const now = Date.now();
    const payload = payloadOf(0, now);
    let { rows } = kept;
    const from = performance.now();
    while (performance.now() - from < measuredMs) {
      db.exec("BEGIN IMMEDIATE");
      for (let index = 0; index < batch; index++) {
        const { dueAt } = laterDraft(rows, now);
        id.writeUInt32BE(rows, 12);
        insert.run(++rows, id, 1 + ((rows * 7_919) % 100), now, dueAt, dueAt, now, payload);
      }
      db.exec("COMMIT");
    }
    const tookMs = performance.now() - from;
    const added = rows - kept.rows;
    kept.rows = rows;
    return (added * 1_000) / tookMs;
  },
};
export type SqliteLimitCalls = typeof calls;
answerCalls(calls);

/** The settings of the embedded store, and its table of messages. */
const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -65536;
  PRAGMA wal_autocheckpoint = 4000;
  CREATE TABLE messages (
    message_key INTEGER PRIMARY KEY,
    message_id BLOB NOT NULL,
    account_key INTEGER NOT NULL,
    target_key INTEGER NOT NULL,
    state INTEGER NOT NULL,
    version INTEGER NOT NULL,
    scheduling_time INTEGER NOT NULL,
    original_delivery_time INTEGER NOT NULL,
    next_delivery_time INTEGER,
    last_delivery_time INTEGER,
    dead_letter_time INTEGER,
    cancellation_time INTEGER,
    expiration_time INTEGER,
    delivery_failure_count INTEGER NOT NULL,
    attempt_count INTEGER NOT NULL,
    attempts_this_round INTEGER NOT NULL,
    planning_time INTEGER NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE INDEX messages_scheduled ON messages (target_key, next_delivery_time)
    WHERE next_delivery_time IS NOT NULL;
  CREATE INDEX messages_dead ON messages (target_key, dead_letter_time)
    WHERE dead_letter_time IS NOT NULL;
  CREATE INDEX messages_expiring ON messages (expiration_time) WHERE expiration_time IS NOT NULL;
`;
