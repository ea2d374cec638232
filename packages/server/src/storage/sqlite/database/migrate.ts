import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { readSchemaSteps, refuseNewerSchema, schemaStatus } from "../../schema-version.ts";
import type { SchemaStatus, SchemaStep } from "../../schema-version.ts";

export const schemaSteps = (): SchemaStep[] =>
  readSchemaSteps(join(import.meta.dirname, "../migrations"));

export function readSchemaStatus(db: DatabaseSync, steps = schemaSteps()): SchemaStatus {
  const row = db.prepare("PRAGMA user_version").get() as { user_version: number };
  return schemaStatus(row.user_version, steps);
}

/** Upgrades the schema, with one transaction for each numbered file. */
export function migrate(
  db: DatabaseSync,
  onApplied: (name: string) => void = () => {},
  steps = schemaSteps(),
): void {
  const status = readSchemaStatus(db, steps);
  refuseNewerSchema(status);
  for (const { version, name, sql } of steps.slice(status.version)) {
    db.exec("BEGIN IMMEDIATE");
    try {
      db.exec(sql);
      db.exec(`PRAGMA user_version = ${version}`);
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
    onApplied(name);
  }
}
