import type { SealedPlace } from "../../../../domain/key-rotation.ts";
import { sealedAtOnce } from "../../../sealed-options.ts";
import type { SealedSlice, SealedValue } from "../../../store.ts";
import type { WorkContext } from "../context.ts";
import { keyOf, nameOf, sealedColumns } from "./sealed-columns.ts";

/** How many rows one statement looks at. */
const piece = 1_000;

export function readSealed({ connections }: WorkContext) {
  return async (place: SealedPlace, after: string | null): Promise<SealedSlice> => {
    const sealedColumn = sealedColumns[place];
    const { within } = sealedColumn;
    const rows = await connections.query({
      name: `read-sealed-${place}`,
      text: statementFor(place),
      values: keyOf(sealedColumn, after),
    });
    const values: SealedValue[] = [];
    for (const row of rows) {
      const at = row["at"] as string;
      const text = row["text"] as string | null;
      const sealed = text === null || within === undefined ? text : within(text);
      if (sealed != null) values.push({ at, sealed });
      if (values.length >= sealedAtOnce) return { values, reached: at };
    }
    return { values, reached: rows.length < piece ? null : (rows.at(-1)!["at"] as string) };
  };
}

function statementFor(place: SealedPlace): string {
  const sealedColumn = sealedColumns[place];
  const { table, keys, column, holds } = sealedColumn;
  const order = Object.keys(keys).join(", ");
  const from = Object.values(keys).map((type, at) => `$${at + 1}::${type}`);
  return `SELECT ${nameOf(sealedColumn)} AS at, CASE WHEN ${holds} THEN ${column} END AS text
    FROM ${table} WHERE (${order}) > (${from.join(", ")}) ORDER BY ${order} LIMIT ${piece}`;
}
