import { onTestFinished } from "vitest";
import { hour } from "../../conformance/harness.ts";
import type { Store } from "../../store.ts";
import type { PostgresStoreOptions } from "../open-postgres-store.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { preparedDatabases } from "./prepared-databases.ts";
import type { TestDatabase } from "./test-databases.ts";

/** So that a busy machine fails no call. A test of the deadline sets its own. */
export const patientDeadlineMs = 60_000;

export interface TestStores {
  readonly database: TestDatabase;
  /** A node's store. Several may be open at once. */
  open(change?: Partial<PostgresStoreOptions>): Promise<Store>;
}

/** Fresh databases and stores on them. The end of the test closes and drops them. */
export function testStores(): () => Promise<TestStores> {
  const makeDatabase = preparedDatabases();
  return async () => {
    const database = await makeDatabase();
    onTestFinished(() => database.drop());
    return {
      database,
      async open(change = {}) {
        const store = await openPostgresStore({
          databaseUrl: database.url,
          retentionMs: hour,
          idempotencyRetentionMs: hour,
          leaseMs: 60_000,
          deadlineMs: patientDeadlineMs,
          ...change,
        });
        onTestFinished(() => store.close());
        return store;
      },
    };
  };
}
