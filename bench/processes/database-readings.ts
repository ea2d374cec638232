import pg from "pg";
import { familyProcessorMs, parentOf } from "./process-times.ts";

export interface DatabaseReadings {
  read(): Promise<Record<string, number>>;
  /** The processor time of all processes of the database. Only if the database runs on this machine. */
  processorMs(): number;
  /** The size on disk, after the clean-up that follows a large change. */
  bytesOnDisk(): Promise<number>;
  growth(): Promise<DatabaseGrowth>;
  close(): Promise<void>;
}

export interface DatabaseGrowth {
  /** As it stands, without a clean-up. */
  readonly bytes: number;
  readonly vacuums: number;
  /** Rows that are waiting for a vacuum. */
  readonly deadRows: number;
}

/** Null without a database. */
export async function openDatabaseReadings(
  databaseUrl: string | null,
): Promise<DatabaseReadings | null> {
  if (databaseUrl === null) return null;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const one = async (sql: string): Promise<Record<string, string>> =>
    (await client.query<Record<string, string>>(sql)).rows[0]!;
  const { pid } = await one("SELECT pg_backend_pid() AS pid");
  const postmaster = parentOf(Number(pid));
  const processorMs = (): number => familyProcessorMs(postmaster);
  return {
    processorMs,
    async read() {
      // Otherwise other sessions see the statistics of a session a little later.
      await client.query("SELECT pg_stat_force_next_flush()");
      const { wal, commits } = await one(
        `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal,
           (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits`,
      );
      return {
        "database, CPU µs": 1_000 * processorMs(),
        "write-ahead log, bytes": Number(wal),
        commits: Number(commits),
      };
    },
    async bytesOnDisk() {
      await client.query("VACUUM ANALYZE messages");
      const { bytes } = await one(
        "SELECT pg_database_size(current_database()) - pg_database_size('template0') AS bytes",
      );
      return Number(bytes);
    },
    async growth() {
      const row = await one(
        `SELECT pg_database_size(current_database()) AS bytes, sum(autovacuum_count) AS vacuums,
           sum(n_dead_tup) AS dead FROM pg_stat_user_tables`,
      );
      return {
        bytes: Number(row["bytes"]),
        vacuums: Number(row["vacuums"]),
        deadRows: Number(row["dead"]),
      };
    },
    close: () => client.end(),
  };
}
