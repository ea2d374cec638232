import { startPostgres } from "../packages/server/src/storage/postgres/testing/start-postgres.ts";

export interface BenchDatabase {
  readonly url: string;
  close(): Promise<void>;
}

/** A real PostgreSQL with its own, durable settings, unless `TEST_POSTGRES_URL` names one. */
export async function startDatabase(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchDatabase> {
  const given = process.env["TEST_POSTGRES_URL"];
  if (given !== undefined) return { url: given, close: async () => {} };
  const postgres = await startPostgres(settings);
  return { url: postgres.url, close: () => postgres.stop() };
}
