import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { insertMessage } from "../../packages/server/src/storage/sqlite/message-columns.ts";
import { openDatabase } from "../../packages/server/src/storage/sqlite/open-database.ts";
import { answerCalls } from "../processes/answer-calls.ts";
import { laterDraft, payloadOf } from "../processes/requests.ts";

/**
 * The limit of keeping: rows like those of pending messages go into SQLite, one transaction after the
 * other, each synced. Nothing is parsed, checked, looked up or answered. What was measured before
 * stays, as it does with the service: the more there is, the more pages a batch touches.
 */
const databases = new Map<string, { readonly db: DatabaseSync; rows: number }>();

function databaseIn(folder: string, batch: number) {
  const path = join(folder, `rows-by-${batch}`);
  let known = databases.get(path);
  if (known === undefined) {
    mkdirSync(path);
    // The settings and the schema of the embedded store, without looking up a row's target.
    const { db } = openDatabase(path);
    db.exec("PRAGMA foreign_keys = OFF");
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
    const insert = db.prepare(insertMessage);
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
        insert.run(++rows, id, 1, 1 + ((rows * 7_919) % 100), 1, now, dueAt, payload);
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
