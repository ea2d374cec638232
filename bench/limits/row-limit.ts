import type { Bench } from "../phase.ts";
import { startChild } from "../processes/start-child.ts";
import type { PostgresLimitCalls } from "./postgres-rows.ts";
import type { SqliteLimitCalls } from "./sqlite-rows.ts";

export interface RowLimit {
  readonly name: string;
  perSecond(batch: number, measuredMs?: number): Promise<number>;
}

/** How many rows a second the underlying store accepts, for a given number of rows at a time. */
export async function startRowLimit(bench: Bench): Promise<RowLimit> {
  const usualMs = bench.options.measuredMs;
  if (bench.newDatabase === null) {
    const rows = startChild<SqliteLimitCalls>("limits/sqlite-rows.ts");
    bench.opened.defer(() => rows.close());
    const { folder } = bench;
    return {
      name: "node:sqlite rows",
      perSecond: (batch, measuredMs = usualMs) =>
        rows.call("rowsPerSecond", { folder, batch, measuredMs }),
    };
  }
  const rows = startChild<PostgresLimitCalls>("limits/postgres-rows.ts");
  bench.opened.defer(() => rows.close());
  const databaseUrl = await bench.newDatabase();
  return {
    name: "unnest inserts",
    perSecond: (batch, measuredMs = usualMs) =>
      rows.call("rowsPerSecond", { databaseUrl, batch, measuredMs }),
  };
}
