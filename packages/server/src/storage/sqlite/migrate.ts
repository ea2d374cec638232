import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

const folder = join(import.meta.dirname, "migrations");

/** Brings the schema up to date, one numbered file per transaction. */
export function migrate(db: DatabaseSync): void {
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
  const { user_version: current } = db.prepare("PRAGMA user_version").get() as {
    user_version: number;
  };
  if (current > migrations.length) {
    throw new Error(
      `The data was written by a newer version of Postdate (schema ${current}, this version knows ` +
        `${migrations.length}). Start that version or a later one.`,
    );
  }
  for (const [index, name] of migrations.entries()) {
    if (index < current) continue;
    db.exec("BEGIN IMMEDIATE");
    db.exec(readFileSync(join(folder, name), "utf8"));
    db.exec(`PRAGMA user_version = ${index + 1}`);
    db.exec("COMMIT");
  }
}
