import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One numbered step of a store's schema: the first file makes schema 1, the second schema 2. */
export interface SchemaStep {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export interface SchemaStatus {
  /** 0: there is no schema yet. */
  readonly version: number;
  /** The newest version that this program knows. */
  readonly known: number;
  /** The files that an upgrade would apply, in order. */
  readonly pending: readonly string[];
}

/** Whether a store that finds an older schema upgrades it, or refuses to open. */
export type SchemaUpgrade = "auto" | "manual";

export function readSchemaSteps(folder: string): SchemaStep[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name, index) => ({
      version: index + 1,
      name: name.replace(/\.sql$/, ""),
      sql: readFileSync(join(folder, name), "utf8"),
    }));
}

export function schemaStatus(version: number, steps: readonly SchemaStep[]): SchemaStatus {
  return {
    version,
    known: steps.length,
    pending: steps.filter((step) => step.version > version).map(({ name }) => name),
  };
}

export function refuseNewerSchema({ version, known }: SchemaStatus): void {
  if (version <= known) return;
  throw new Error(
    `The data was written by a newer version of Postdate (schema ${version}, this version knows ` +
      `${known}). Start that version or a later one.`,
  );
}

/** For a store that must not upgrade. `options` names the store for `postdate schema upgrade`. */
export function refuseOlderSchema(
  { version, known, pending }: SchemaStatus,
  options: string,
): void {
  if (pending.length === 0) return;
  const found = version === 0 ? "There is no schema yet" : `The schema is ${version}`;
  throw new Error(
    `${found}, and this version needs ${known}. ` +
      `Run \`postdate schema upgrade${options}\`, then try again.`,
  );
}
