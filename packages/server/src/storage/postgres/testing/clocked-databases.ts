import pg from "pg";
import type { ClockedLocation } from "../../conformance/schedules/schedule-harness.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { preparedDatabases } from "./prepared-databases.ts";
import { patientDeadlineMs } from "./test-stores.ts";

const nowFunction = (body: string): string =>
  `CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$ ${body} $$`;

/** As the first migration has it. */
const ownClock = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export interface ClockedDatabase extends ClockedLocation {
  readonly url: string;
  /** Resolves once the query, which counts something, answers with this count. */
  whenCounted(sql: string, count: number): Promise<void>;
}

/** Databases whose clock stands still until a test sets it. */
export function clockedDatabases(): (time: number) => Promise<ClockedDatabase> {
  const makeDatabase = preparedDatabases();
  return async (time) => {
    const database = await makeDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("CREATE TABLE test_clock (now bigint NOT NULL)");
    await client.query("INSERT INTO test_clock VALUES ($1)", [time]);
    await client.query(nowFunction("SELECT now FROM test_clock"));
    return {
      url: database.url,
      whenCounted: (sql, count) => database.whenCounted(sql, count),
      open: ({ leaseMs = 10_000, ...options }) =>
        openPostgresStore({
          ...options,
          ...{ databaseUrl: database.url, leaseMs, deadlineMs: patientDeadlineMs },
        }),
      async setNow(to) {
        await client.query("UPDATE test_clock SET now = $1", [to]);
      },
      async remove() {
        await client.query(nowFunction(ownClock));
        await client.query("DROP TABLE test_clock");
        await client.end();
        await database.drop();
      },
    };
  };
}
