import { sealedPlaces } from "../../../../domain/key-rotation.ts";
import type { SealedPlace } from "../../../../domain/key-rotation.ts";
import { sealedAtOnce } from "../../../sealed-options.ts";
import type { SealedSlice, SealedValue } from "../../../store.ts";
import type { ReadingContext } from "../stats/reading-context.ts";
import { beginLook } from "../stats/reading-context.ts";
import { keyOf, nameOf, sealedColumns } from "./sealed-columns.ts";

/** How many rows are read between two looks at the clock. A long payload lies before the options of a message. */
const piece = 50;

export function readSealed(context: ReadingContext) {
  const statements = Object.fromEntries(
    sealedPlaces.map((place) => [place, prepare(context, place)]),
  ) as Record<SealedPlace, ReturnType<typeof prepare>>;

  return (place: SealedPlace, after: string | null): SealedSlice => {
    const isOver = beginLook(context);
    const { within } = sealedColumns[place];
    const values: SealedValue[] = [];
    let reached = after;
    for (;;) {
      const rows = statements[place](reached);
      for (const { at, text } of rows) {
        const sealed = text === null || within === undefined ? text : within(text);
        if (sealed != null) values.push({ at, sealed });
      }
      if (rows.length < piece) return { values, reached: null };
      reached = rows.at(-1)!.at;
      if (isOver() || values.length >= sealedAtOnce) return { values, reached };
    }
  };
}

interface SealedRow {
  readonly at: string;
  readonly text: string | null;
}

function prepare(
  { db }: ReadingContext,
  place: SealedPlace,
): (after: string | null) => SealedRow[] {
  const sealedColumn = sealedColumns[place];
  const { table, keys, column, holds } = sealedColumn;
  const order = keys.join(", ");
  const select = db.prepare(
    `SELECT ${nameOf(sealedColumn)} AS at, CASE WHEN ${holds} THEN ${column} END AS text FROM ${table}
     WHERE (${order}) > (${keys.map(() => "?").join(", ")}) ORDER BY ${order} LIMIT ${piece}`,
  );
  return (after) => select.all(...keyOf(sealedColumn, after)) as unknown as SealedRow[];
}
