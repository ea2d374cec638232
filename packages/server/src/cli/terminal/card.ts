import { alignedRows, gap } from "./aligned.ts";
import { displayWidth } from "./display-width.ts";
import type { Look } from "./look.ts";
import { wrapped } from "./wrapped.ts";

/** One thing, with a line for each fact. On a terminal, long values go on below their beginning. */
export function cardOf(
  rows: readonly (readonly [title: string, value: string])[],
  { paint, columns }: Pick<Look, "paint" | "columns">,
): string {
  const titleWidth = Math.max(...rows.map(([title]) => displayWidth(title)));
  const linesOf = (value: string): string[] =>
    columns === null ? [value] : wrapped(value, columns - titleWidth - gap.length);
  return alignedRows(
    rows.flatMap(([title, value]) =>
      linesOf(value).map((line, at) => [at === 0 ? paint("bold", title) : "", line]),
    ),
  );
}
