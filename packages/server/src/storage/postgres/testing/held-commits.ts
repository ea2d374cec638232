import pg from "pg";
import { onTestFinished } from "vitest";
import type { TestDatabase } from "./test-databases.ts";

/** Any number that no gate of the store uses. */
const heldBy = 4_242;

export interface HeldCommits {
  /** Resolves once so many statements wait for locks. */
  whenBlocked(count: number): Promise<void>;
  release(): Promise<void>;
}

/**
 * From now on each transaction that inserts such a row into the table waits, with all of its locks, until the release:
 * right before its commit, or within the statement.
 */
export async function holdCommits(
  database: TestDatabase,
  { table, row = "true", at = "commit" }: { table: string; row?: string; at?: "commit" | "insert" },
): Promise<HeldCommits> {
  const aside = new pg.Client(database.url);
  await aside.connect();
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (isHeld) await aside.query(`SELECT pg_advisory_unlock(${heldBy})`);
    isHeld = false;
  };
  onTestFinished(async () => {
    await aside.query(`DROP TRIGGER IF EXISTS held_commit ON ${table}`);
    await aside.query("DROP FUNCTION IF EXISTS hold_commit");
    await aside.end();
  });
  onTestFinished(release);
  await aside.query(`SELECT pg_advisory_lock(${heldBy})`);
  await aside.query(`CREATE FUNCTION hold_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(${heldBy}); RETURN NULL; END $$`);
  const isDeferred = at === "commit" ? "DEFERRABLE INITIALLY DEFERRED" : "";
  await aside.query(`CREATE CONSTRAINT TRIGGER held_commit AFTER INSERT ON ${table} ${isDeferred}
    FOR EACH ROW WHEN (${row}) EXECUTE FUNCTION hold_commit()`);
  const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return { whenBlocked: (count) => database.whenCounted(blocked, count), release };
}
