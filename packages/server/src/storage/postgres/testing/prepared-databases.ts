import pg from "pg";
import { prepareSchema } from "../migrate.ts";
import { testDatabases } from "./test-databases.ts";
import type { TestDatabase } from "./test-databases.ts";

/** Empties everything but the schema and its version, and disconnects everybody else. */
const emptyAll = `
  DO $$ BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY'
      FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version');
    ALTER SEQUENCE node_epochs RESTART;
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
