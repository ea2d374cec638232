import type { Paint } from "../terminal/colours.ts";
import type { SchemaState, StoreAddress } from "../surroundings/schema-keeper.ts";
import { alignedRows } from "../terminal/aligned.ts";
import { databaseLocation } from "./migration.ts";

export function schemaCard(state: SchemaState, address: StoreAddress, paint: Paint): string {
  const { version, known, pending } = state;
  return alignedRows([
    [paint("bold", "Store"), storeText(address)],
    [paint("bold", "Schema"), version === 0 ? "none yet" : String(version)],
    [paint("bold", "Known"), `up to ${known}`],
    ...pending.map((name, index) => [paint("bold", index === 0 ? "Pending" : ""), name]),
  ]);
}

function storeText({ dataDir, databaseUrl }: StoreAddress): string {
  return databaseUrl === null
    ? `embedded, in ${dataDir}`
    : `PostgreSQL, ${databaseLocation(databaseUrl)}`;
}

/** What the operator should do; undefined if a server of this version can start on the schema. */
export function schemaAdvice({
  version,
  known,
  pending,
  migrationUnfinished,
}: SchemaState): string | undefined {
  if (version > known) {
    return "A newer version of Postdate has upgraded it. Run that version or a later one.";
  }
  if (migrationUnfinished) {
    return "A migration into it is not finished. Run the same `postdate migrate` again.";
  }
  return pending.length === 0 ? undefined : "`postdate schema upgrade` applies what is pending.";
}
