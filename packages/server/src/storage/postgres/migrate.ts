import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";

const folder = join(import.meta.dirname, "migrations");

/** Any number, as long as every node takes the same: one of them migrates, the others wait. */
const migrationLock = 7_070_001;

/** Brings the schema up to date, one numbered file per transaction, one node at a time. */
export async function migrate(databaseUrl: string): Promise<void> {
  // On a connection of its own: a large change of the schema may take longer than any call should.
  const connections = openConnections(databaseUrl, { max: 1, deadlineMs: 0 });
  try {
    await applyMigrations(connections);
  } finally {
    await connections.close();
  }
}

async function applyMigrations(connections: Connections): Promise<void> {
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  for (const [index, name] of migrations.entries()) {
    await connections.transaction(async (query) => {
      await query({ name: "", text: `SELECT pg_advisory_xact_lock(${migrationLock})` });
      await query({
        name: "",
        text: "CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)",
      });
      const [row] = await query({
        name: "",
        text: "SELECT max(version) AS version FROM schema_version",
      });
      const current = (row?.["version"] as number | null) ?? 0;
      if (current > migrations.length) {
        throw new Error(
          `The data was written by a newer version of Postdate (schema ${current}, this version ` +
            `knows ${migrations.length}). Start that version or a later one.`,
        );
      }
      if (index < current) return;
      await query({ name: "", text: readFileSync(join(folder, name), "utf8") });
      await query({ name: "", text: `INSERT INTO schema_version VALUES (${index + 1})` });
    });
  }
}
