import { arrayLiteral, textArrayLiteral } from "./array-literal.ts";

/**
 * Rows that a statement gets as one array a column: the column's type, and its value for an item.
 */
export type GivenColumns<Item> = Readonly<Record<string, GivenColumn<Item>>>;

type GivenColumn<Item> =
  | {
      readonly type: "uuid" | "smallint" | "int" | "bigint";
      readonly of: (item: Item) => number | string | null | undefined;
    }
  | { readonly type: "text"; readonly of: (item: Item) => string | null }
  | { readonly type: "bytea"; readonly of: (item: Item) => Uint8Array | string | null };

/** The same columns for items that hold such ones, or null for none. */
export function columnsWithin<Inner, Outer>(
  columns: GivenColumns<Inner>,
  inner: (outer: Outer) => Inner | null,
): GivenColumns<Outer> {
  const valueOf =
    (column: GivenColumn<Inner>) =>
    (outer: Outer): unknown => {
      const found = inner(outer);
      return found === null ? null : column.of(found);
    };
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      { type: column.type, of: valueOf(column) },
    ]),
  ) as GivenColumns<Outer>;
}

/** For example `unnest($1::uuid[], $2::int[]) AS u(message_id, target_key)`. */
export function unnest(columns: GivenColumns<never>, alias = "u", firstParameter = 1): string {
  const arrays = Object.values(columns).map(
    ({ type }, index) => `$${firstParameter + index}::${type}[]`,
  );
  return `unnest(${arrays.join(", ")}) AS ${alias}(${namesOf(columns)})`;
}

export function namesOf(columns: GivenColumns<never>): string {
  return Object.keys(columns).join(", ");
}

/** The parameters of `unnest`. The driver quotes bytes. */
export function arraysOf<Item>(columns: GivenColumns<Item>, items: readonly Item[]): unknown[] {
  return Object.values(columns).map((column) => {
    if (column.type === "bytea") return items.map(column.of);
    if (column.type === "text") return textArrayLiteral(items.map(column.of));
    return arrayLiteral(items.map(column.of));
  });
}
