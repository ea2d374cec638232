import type { SealedPlace } from "../../../../domain/key-rotation.ts";
import { sealedInOptions, sealedInSchedule, sealedMark } from "../../../sealed-options.ts";
import { beforeEveryKey } from "../../rows/message-rows.ts";

export interface SealedColumn {
  readonly table: string;
  /** The columns that name a row, and give the order, with their types. */
  readonly keys: Readonly<Record<string, "integer" | "bigint" | "text" | "uuid">>;
  readonly column: string;
  /** Leaves out rows that have nothing sealed. */
  readonly holds: string;
  /** The sealed value is a part of the column's text. */
  readonly within?: (text: string) => string | undefined;
}

const marked = (column: string): string => `strpos(${column}, '${sealedMark}') > 0`;
const endpointKeys = { account_id: "text", endpoint_id: "text" } as const;

export const sealedColumns: Readonly<Record<SealedPlace, SealedColumn>> = {
  targetSettings: whole("targets", { target_key: "integer" }, "sealed_settings"),
  targetSecrets: whole("targets", { target_key: "integer" }, "sealed_secrets"),
  endpointSettings: whole("event_endpoints", endpointKeys, "sealed_settings"),
  endpointSecrets: whole("event_endpoints", endpointKeys, "sealed_secrets"),
  signingKeys: whole("signing_keys", { key_id: "text" }, "sealed_private_key"),
  schedules: {
    table: "schedule_states",
    keys: { schedule_key: "bigint" },
    column: "schedule",
    holds: marked("schedule"),
    within: sealedInSchedule,
  },
  messages: {
    table: "messages",
    keys: { message_id: "uuid" },
    column: "options",
    holds: `options IS NOT NULL AND ${marked("options")}`,
    within: sealedInOptions,
  },
};

/** The column has nothing but the sealed value. */
function whole(table: string, keys: SealedColumn["keys"], column: string): SealedColumn {
  return { table, keys, column, holds: `${column} <> ''` };
}

/** The name of a row: no key but the last has a slash. */
export function nameOf({ keys }: SealedColumn): string {
  return Object.keys(keys)
    .map((key) => `${key}::text`)
    .join(" || '/' || ");
}

const firsts = { integer: "0", bigint: "0", text: "", uuid: beforeEveryKey };

/** The values of the columns that name a row, as text; null: before every row. */
export function keyOf({ keys }: SealedColumn, at: string | null): string[] {
  const types = Object.values(keys);
  if (at === null) return types.map((type) => firsts[type]);
  if (types.length === 1) return [at];
  const slash = at.indexOf("/");
  return [at.slice(0, slash), at.slice(slash + 1)];
}
