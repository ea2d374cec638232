import pg from "pg";
import { startPostgres } from "../packages/server/src/storage/postgres/testing/start-postgres.ts";

export interface Databases {
  readonly version: string;
  /** A new and empty one. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

/** A real PostgreSQL with its own, durable settings, unless `TEST_POSTGRES_URL` names one. */
export async function startDatabases(
  settings: Readonly<Record<string, string>> = {},
): Promise<Databases> {
  const given = process.env["TEST_POSTGRES_URL"];
  const started = given === undefined ? await startPostgres(settings) : null;
  const url = started?.url ?? given!;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  const created: string[] = [];
  return {
    version: rows[0]!.server_version,
    async create() {
      const name = `postdate_bench_${process.pid}_${created.length}`;
      await client.query(`CREATE DATABASE ${name}`);
      created.push(name);
      const own = new URL(url);
      own.pathname = `/${name}`;
      return own.href;
    },
    async stop() {
      if (started === null) {
        for (const name of created) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      }
      await client.end();
      await started?.stop();
    },
  };
}
