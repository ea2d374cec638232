import { totalmem } from "node:os";
import pg from "pg";
import { startPostgres } from "../packages/server/src/storage/postgres/testing/start-postgres.ts";

export interface Databases {
  /** The version, and the settings if they are ours. */
  readonly description: string;
  /** Makes a new, empty database and returns its URL. */
  create(): Promise<string>;
  /** Drops all databases that were made. Otherwise a vacuum could run during a later measurement. */
  dropAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The settings that docs/operations/scaling.md recommends for many messages. None makes commits less
 * durable.
 */
export function recommendedSettings(): Record<string, string> {
  return {
    shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`,
    checkpoint_timeout: "15min",
    max_wal_size: "16GB",
  };
}

/** A real, durable PostgreSQL, or the one that `TEST_POSTGRES_URL` names. */
export async function startDatabases(
  settings: Readonly<Record<string, string>> = {},
): Promise<Databases> {
  const given = process.env["TEST_POSTGRES_URL"];
  const started = given === undefined ? await startPostgres(settings) : null;
  const url = started?.url ?? given!;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
  let made = 0;
  let created: string[] = [];
  const dropAll = async (): Promise<void> => {
    for (const name of created) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    created = [];
  };
  return {
    description: `PostgreSQL ${rows[0]!.server_version}${started === null ? "" : told(settings)}`,
    async create() {
      const name = `postdate_bench_${process.pid}_${made++}`;
      await client.query(`CREATE DATABASE ${name}`);
      created.push(name);
      const own = new URL(url);
      own.pathname = `/${name}`;
      return own.href;
    },
    dropAll,
    async stop() {
      await dropAll();
      await client.end();
      await started?.stop();
    },
  };
}

function told(settings: Readonly<Record<string, string>>): string {
  const each = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return each.length === 0 ? "" : ` (${each.join(", ")})`;
}
