import pg from "pg";
import { prepareSchema } from "../migrate.ts";
import { testDatabases } from "./test-databases.ts";
import type { TestDatabase } from "./test-databases.ts";

/**
 * Empties everything but the schema and its version, and disconnects everybody else. A truncated table
 * gets new files for itself and for each index, so tables that were not used are left alone.
 */
const emptyAll = `
  DO $$ DECLARE used text; BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    SELECT string_agg(relname::text, ', ') INTO used FROM pg_stat_user_tables
      WHERE relname <> 'schema_version' AND pg_relation_size(relid) > 0;
    IF used IS NOT NULL THEN EXECUTE 'TRUNCATE ' || used || ' CASCADE'; END IF;
    PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence;
  END $$`;

/**
 * As `testDatabases`, with the current schema and no data. A dropped database is emptied and used
 * again, which is much faster than creating one.
 */
export function preparedDatabases(): () => Promise<TestDatabase> {
  const makeDatabase = testDatabases();
  const empty: TestDatabase[] = [];
  return async () => {
    let database = empty.pop();
    if (database === undefined) {
      database = await makeDatabase();
      await prepareSchema(database.url, "auto");
    }
    const { url } = database;
    const made = database;
    return {
      ...made,
      async drop() {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query(emptyAll);
        await client.end();
        empty.push(made);
      },
    };
  };
}
