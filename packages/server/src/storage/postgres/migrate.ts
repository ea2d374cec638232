import { join } from "node:path";
import {
  readSchemaSteps,
  refuseNewerSchema,
  refuseOlderSchema,
  schemaStatus,
} from "../schema-version.ts";
import type { SchemaStatus, SchemaStep, SchemaUpgrade } from "../schema-version.ts";
import { openConnections } from "./connections/connections.ts";
import type { Connections, Run } from "./connections/connections.ts";
import { refuseUnfinishedTransfer } from "./transfer-record.ts";

const schemaSteps = (): SchemaStep[] => readSchemaSteps(join(import.meta.dirname, "migrations"));

/** Any number will do, if every node uses the same. One node migrates while the others wait. */
const migrationLock = 7_070_001;

/** Makes sure that a server can work with the schema, or throws an error that says why not. */
export async function prepareSchema(databaseUrl: string, upgrade: SchemaUpgrade): Promise<void> {
  await withOneConnection(databaseUrl, async (connections) => {
    await refuseUnfinishedTransfer(connections);
    if (upgrade === "auto") return upgradeSchema(connections);
    await refuseOtherEncoding(connections);
    const status = await readSchemaStatus(connections);
    refuseNewerSchema(status);
    refuseOlderSchema(status, "");
  });
}

/** On a connection of its own: a large change of the schema may take longer than a call may. */
export async function withOneConnection<T>(
  databaseUrl: string,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = openConnections(databaseUrl, { max: 1, deadlineMs: 0 });
  try {
    return await work(connections);
  } finally {
    await connections.close();
  }
}

/** Reads only; changes nothing. */
export async function readSchemaStatus(
  connections: Connections,
  steps = schemaSteps(),
): Promise<SchemaStatus> {
  const [found] = await connections.query({
    name: "",
    text: "SELECT to_regclass('schema_version') IS NOT NULL AS exists",
  });
  const version = found!["exists"] === true ? await readVersion(connections.query) : 0;
  return schemaStatus(version, steps);
}

/** Upgrades the schema: one transaction for each numbered file, one node at a time. */
export async function upgradeSchema(
  connections: Connections,
  onApplied: (name: string) => void = () => {},
  steps = schemaSteps(),
): Promise<void> {
  await refuseOtherEncoding(connections);
  for (const { version, name, sql } of steps) {
    const applied = await connections.transaction(async (query) => {
      await query({ name: "", text: `SELECT pg_advisory_xact_lock(${migrationLock})` });
      await query({
        name: "",
        text: "CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)",
      });
      const current = await readVersion(query);
      refuseNewerSchema(schemaStatus(current, steps));
      if (version <= current) return false;
      await query({ name: "", text: sql });
      await query({ name: "", text: `INSERT INTO schema_version VALUES (${version})` });
      return true;
    });
    if (applied) onApplied(name);
  }
}

/**
 * Other encodings cannot hold every character or, like SQL_ASCII, do not know characters at all.
 */
async function refuseOtherEncoding(connections: Connections): Promise<void> {
  const [row] = await connections.query({ name: "", text: "SHOW server_encoding" });
  const encoding = row!["server_encoding"] as string;
  if (encoding === "UTF8") return;
  throw new Error(
    `The database has the encoding ${encoding}, but Postdate needs UTF8. Create another: ` +
      "createdb --owner=<role> --encoding=UTF8 --template=template0 <name>",
  );
}

async function readVersion(query: Run): Promise<number> {
  const [row] = await query({
    name: "",
    text: "SELECT max(version) AS version FROM schema_version",
  });
  return (row?.["version"] as number | null) ?? 0;
}
