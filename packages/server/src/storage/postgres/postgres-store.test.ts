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
    remove: () => database.drop(),
  };
};

describeStore("postgres", makeLocation, { shared: true });
