import pg from "pg";
import { prepareSchema } from "../migrate.ts";
import { testDatabases } from "./test-databases.ts";
import type { TestDatabase } from "./test-databases.ts";

/** Everything but the schema and its version; whoever is still connected is shown out. */
const emptyAll = `
  DO $$ BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    EXECUTE (SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY'
      FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version');
    ALTER SEQUENCE node_epochs RESTART;
  END $$`;

/**
 * As `testDatabases`, with today's schema and nothing else in each. One that is dropped is emptied and
 * used again, which is much quicker than making another.
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
