import type { SealedPlace } from "../../../../domain/key-rotation.ts";
import { sealedInOptions, sealedInSchedule, sealedMark } from "../../../sealed-options.ts";

export interface SealedColumn {
  readonly table: string;
  /** The columns that name a row, and give the order. The first is a number unless it is the only one. */
  readonly keys: readonly string[];
  readonly column: string;
  /** Leaves out rows that have nothing sealed. */
  readonly holds: string;
  /** The sealed value is a part of the column's text. */
  readonly within?: (text: string) => string | undefined;
}

const marked = (column: string): string => `instr(${column}, '${sealedMark}') > 0`;

export const sealedColumns: Readonly<Record<SealedPlace, SealedColumn>> = {
  targetSettings: whole("targets", ["target_key"], "sealed_settings"),
  targetSecrets: whole("targets", ["target_key"], "sealed_secrets"),
  endpointSettings: whole("event_endpoints", ["account_key", "endpoint_id"], "sealed_settings"),
  endpointSecrets: whole("event_endpoints", ["account_key", "endpoint_id"], "sealed_secrets"),
  signingKeys: whole("signing_keys", ["key_id"], "sealed_private_key"),
  schedules: {
    table: "schedule_definitions",
    keys: ["schedule_key"],
    column: "definition",
    holds: marked("definition"),
    within: sealedInSchedule,
  },
  messages: {
    table: "messages",
    keys: ["message_key"],
    column: "options",
    holds: `options IS NOT NULL AND ${marked("options")}`,
    within: sealedInOptions,
  },
};

/** The column has nothing but the sealed value. */
function whole(table: string, keys: readonly string[], column: string): SealedColumn {
  return { table, keys, column, holds: `${column} <> ''` };
}

/** The name of a row, of which only the last part may have a slash. */
export function nameOf({ keys }: SealedColumn): string {
  return keys.map((key) => `CAST(${key} AS TEXT)`).join(" || '/' || ");
}

/** The values of the columns that name a row; null: before every row. */
export function keyOf({ keys }: SealedColumn, at: string | null): (string | number)[] {
  if (keys.length === 1) {
    return [keys[0]!.endsWith("_key") ? Number(at ?? 0) : (at ?? "")];
  }
  const slash = at === null ? 0 : at.indexOf("/");
  return at === null ? [0, ""] : [Number(at.slice(0, slash)), at.slice(slash + 1)];
}
