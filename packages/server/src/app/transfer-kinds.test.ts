import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { testStores } from "../storage/postgres/testing/test-stores.ts";
import { openDatabase } from "../storage/sqlite/database/open-database.ts";
import { transferKinds } from "../storage/transfer/transfer.ts";

const makeStores = testStores();

/**
 * Tables that each start of a server fills again, or that are written together with something that is
 * moved. And activity, whose curves begin anew. Whoever has a session signs in again after a move. An exchange of the
 * encryption key is begun again.
 */
const notMoved = {
  sqlite: [
    ...["activity", "counters", "nodes", "resumed_accounts", "sessions", "target_rates"],
    ...["sealing_nodes", "key_rotation"],
  ],
  postgres: [
    ...[
      "activity",
      "claims",
      "node_silences",
      "nodes",
      "request_buckets",
      "schema_version",
      "sessions",
    ],
    ...["target_turns", "waiting_changes", "schedule_counts", "resumed_accounts"],
    ...["event_outbox", "sealing_nodes", "key_rotation"],
  ],
};

test("every table and every column of both schemas is moved, or known not to be", async () => {
  const { database, open } = await makeStores();
  await open();
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-transfer-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { db, close } = openDatabase(dataDir);
  const sqlite = db
    .prepare(
      `SELECT t.name AS "table", c.name AS "column" FROM pragma_table_list t
       JOIN pragma_table_info(t.name) c WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite%'`,
    )
    .all() as unknown as readonly Column[];
  close();
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows: postgres } = await client.query<Column>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public'`,
  );

  interface Column {
    readonly table: string;
    readonly column: string;
  }
  const names = (columns: readonly Column[]): string[] =>
    columns.map(({ table, column }) => `${table}.${column}`).toSorted();
  const moved = transferKinds.flatMap(({ table, columns }) =>
    Object.keys(columns).map((column) => ({ table, column })),
  );
  const byAccountId = new Set(["accounts", "audit_entries"]);
  // SQLite has short keys in place of ids. PostgreSQL splits the monthly count into shares.
  const inSqlite = moved.map(({ table, column }) => ({
    table,
    column: column === "account_id" && !byAccountId.has(table) ? "account_key" : column,
  }));
  const own = [
    ...["accounts.account_key", "targets.target_key", "messages.message_key"],
    ...["messages.target_key", "attempts.message_key", "message_bounds.message_key"],
    ...["message_labels.message_key", "message_keys.message_key", "message_keys.target_key"],
    ...["jobs.job_key", "job_messages.job_key", "job_messages.message_key"],
    ...["schedules.schedule_key", "schedule_runs.schedule_key"],
    ...["moved_runs.message_key", "moved_runs.schedule_key"],
    ...["schedules.state", "schedule_definitions.schedule_key"],
    ...["schedule_definitions.definition", "schedule_definitions.payload"],
    "target_health.target_key",
  ];
  const replaced = new Set([
    ...["messages.target_id", "attempts.message_id", "message_bounds.message_id"],
    ...["message_labels.message_id", "message_keys.message_id", "message_keys.target_id"],
    ...["message_keys.account_key", "job_messages.account_key", "job_messages.job_id"],
    ...["job_messages.message_id", "schedules.schedule", "schedules.payload"],
    ...["schedule_runs.account_key", "schedule_runs.schedule_id"],
    ...["moved_runs.message_id", "moved_runs.account_key", "moved_runs.schedule_id"],
    ...["target_health.account_key", "target_health.target_id"],
  ]);
  const kept = (skipped: readonly string[]) => (column: Column) => !skipped.includes(column.table);
  expect(names(sqlite.filter(kept(notMoved.sqlite)))).toEqual(
    [...names(inSqlite).filter((name) => !replaced.has(name)), ...own].toSorted(),
  );
  const byKey = new Set([
    ...["messages.target_id", "message_keys.target_id", "message_keys.account_id"],
    ...["schedules.look_time", "schedules.schedule"],
    ...["schedule_runs.account_id", "schedule_runs.schedule_id"],
    ...["moved_runs.account_id", "moved_runs.schedule_id"],
    ...["targets.failing_after", "target_health.account_id", "target_health.target_id"],
  ]);
  const shares = ["month", "account_id", "used", "share", "granted"];
  expect(names(postgres.filter(kept(notMoved.postgres)))).toEqual(
    [
      ...names(moved.filter(({ table }) => table !== "monthly_usage")).filter(
        (name) => !byKey.has(name),
      ),
      ...shares.map((column) => `usage_shares.${column}`),
      ...["messages.target_key", "targets.target_key", "message_keys.target_key"],
      ...["schedules.schedule_key", "schedule_runs.schedule_key", "moved_runs.schedule_key"],
      ...["schedule_key", "account_id", "look_time", "schedule"].map(
        (column) => `schedule_states.${column}`,
      ),
      ...["target_key", "failing_after"].map((column) => `target_events.${column}`),
      "target_health.target_key",
      // Follow from the filters of the endpoints.
      ...["account_events.account_id", "account_events.event_mask", "target_events.event_mask"],
      // The membership that holds a job or a webhook concerns only the moment.
      ...["jobs.epoch", "event_endpoints.epoch"],
    ].toSorted(),
  );
});
