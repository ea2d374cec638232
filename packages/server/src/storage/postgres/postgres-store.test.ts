import pg from "pg";
import type { MakeLocation } from "../conformance/harness.ts";
import { describeStore } from "../conformance/store-conformance.ts";
import { preparedDatabases } from "./testing/prepared-databases.ts";
import { patientDeadlineMs } from "./testing/test-stores.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const waitingChanges = "SELECT count(*)::int AS count FROM waiting_changes WHERE answer IS NULL";
const makeDatabase = preparedDatabases();

const makeLocation: MakeLocation = async () => {
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
    countAttempts: () => countAttempts(database.url),
    remove: () => database.drop(),
  };
};

async function countAttempts(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM attempts",
    );
    return rows[0]!.count;
  } finally {
    await client.end();
  }
}

describeStore("postgres", makeLocation, { shared: true });
