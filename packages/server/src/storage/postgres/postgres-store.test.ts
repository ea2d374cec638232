import pg from "pg";
import { describe } from "vitest";
import { leftoversSuite } from "../conformance/leftovers-suite.ts";
import type { CountingLocation, Rows } from "../conformance/leftovers-suite.ts";
import { describeStore } from "../conformance/store-conformance.ts";
import { preparedDatabases } from "./testing/prepared-databases.ts";
import { patientDeadlineMs } from "./testing/test-stores.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const waitingChanges = "SELECT count(*)::int AS count FROM waiting_changes WHERE answer IS NULL";
const makeDatabase = preparedDatabases();

const makeLocation = async (): Promise<CountingLocation> => {
  const database = await makeDatabase();
  return {
    open: (options) =>
      openPostgresStore({
        databaseUrl: database.url,
        leaseMs: 10_000,
        deadlineMs: patientDeadlineMs,
        ...options,
      }),
    whenWaiting: (_store, count) => database.whenCounted(waitingChanges, count),
    countAttempts: async () => (await countRows(database.url))["attempts"]!,
    countRows: () => countRows(database.url),
    remove: () => database.drop(),
  };
};

async function countRows(connectionString: string): Promise<Rows> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${name}`,
      );
      counts[name] = rows[0]!.count;
    }
    return counts;
  } finally {
    await client.end();
  }
}

describeStore("postgres", makeLocation, { shared: true });
describe("what is left of targets and accounts", () => leftoversSuite(makeLocation));
