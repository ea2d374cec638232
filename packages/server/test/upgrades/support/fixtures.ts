import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SQLOutputValue } from "node:sqlite";
import pg from "pg";

/** Where what released versions have written is kept, by the number of its schema. */
export const fixtureFolder = join(import.meta.dirname, "../fixtures");

function literal(value: SQLOutputValue): string {
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  if (typeof value !== "string") return String(value);
  if (!value.includes("\0")) return `'${value.replaceAll("'", "''")}'`;
  return `CAST(x'${Buffer.from(value).toString("hex")}' AS TEXT)`;
}

/** Everything in an embedded store, as SQL. */
export function dumpSqlite(dataDir: string): string {
  const db = new DatabaseSync(join(dataDir, "postdate.db"));
  try {
    const objects = db
      .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
      .all() as { type: string; name: string; sql: string }[];
    const ours = objects.filter(({ name }) => !name.startsWith("sqlite_"));
    const rows = ours
      .filter(({ type }) => type === "table")
      .flatMap(({ name }) => {
        const all = db.prepare(`SELECT * FROM "${name}"`);
        all.setReadBigInts(true);
        all.setReturnArrays(true);
        const lines = all.all() as unknown as SQLOutputValue[][];
        return lines.map(
          (values) => `INSERT INTO "${name}" VALUES (${values.map(literal).join(", ")});`,
        );
      });
    const { user_version: version } = db.prepare("PRAGMA user_version").get()!;
    const made = ours.map(({ sql }) => `${sql};`);
    const used = db.prepare("SELECT quote(name) || ', ' || seq AS line FROM sqlite_sequence").all();
    rows.push("DELETE FROM sqlite_sequence;");
    rows.push(...used.map(({ line }) => `INSERT INTO sqlite_sequence VALUES (${String(line)});`));
    return [...made, ...rows, `PRAGMA user_version = ${String(version)};`, ""].join("\n");
  } finally {
    db.close();
  }
}

export function restoreSqlite(sql: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const db = new DatabaseSync(join(dataDir, "postdate.db"));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF; BEGIN; ${sql} COMMIT;`);
  db.close();
}

const migrations = join(import.meta.dirname, "../../../src/storage/postgres/migrations");

/** Everything in a database of this version: the statements that made its tables, and its rows. */
export async function dumpPostgres(url: string, steps: readonly string[]): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const made = steps.map((name) => readFileSync(join(migrations, name), "utf8"));
    const { rows: tables } = await client.query<{ name: string; columns: string }>(`
      SELECT table_name AS name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
      GROUP BY table_name ORDER BY table_name`);
    const filled = [
      "CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL);",
      // Migrations have put rows into some.
      `TRUNCATE ${tables.map(({ name }) => name).join(", ")};`,
    ];
    for (const { name, columns } of tables) {
      const { rows } = await client.query<{ line: string }>(
        `SELECT quote_literal(to_jsonb(row)::text) AS line FROM ${name} AS row`,
      );
      for (const { line } of rows) {
        const row = `jsonb_populate_record(null::${name}, ${line})`;
        filled.push(
          `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${row};`,
        );
      }
    }
    const { rows: sequences } = await client.query<{ line: string }>(
      `SELECT format('SELECT setval(%L, %s);', schemaname || '.' || sequencename, last_value) AS line
       FROM pg_sequences WHERE last_value IS NOT NULL`,
    );
    // Rows of one table may name rows of another that comes later.
    const unchecked = "SET session_replication_role = replica;";
    const ended = "SET session_replication_role = DEFAULT;";
    return [...made, unchecked, ...filled, ...sequences.map(({ line }) => line), ended, ""].join(
      "\n",
    );
  } finally {
    await client.end();
  }
}

export async function restorePostgres(sql: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
