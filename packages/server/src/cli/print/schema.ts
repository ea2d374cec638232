import type { Paint } from "../colours.ts";
import type { SchemaState, StoreAddress } from "../schema-keeper.ts";
import { alignedRows } from "./aligned.ts";
import { databasePlace } from "./migration.ts";

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
    : `PostgreSQL, ${databasePlace(databaseUrl)}`;
}

/** What to make of it; undefined where a server of this version starts on it as it is. */
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
