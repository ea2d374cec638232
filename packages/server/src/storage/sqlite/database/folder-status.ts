import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { schemaStatus } from "../../schema-version.ts";
import type { SchemaStatus } from "../../schema-version.ts";
import { readSchemaStatus, schemaSteps } from "./migrate.ts";

/**
 * The schema in a data folder, also while a server works on it. Version 0: there is no data yet.
 */
export function readFolderStatus(dataDir: string): SchemaStatus {
  const path = join(dataDir, "postdate.db");
  if (!existsSync(path)) return schemaStatus(0, schemaSteps());
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return readSchemaStatus(db);
  } finally {
    db.close();
  }
}
