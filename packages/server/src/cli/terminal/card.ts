import { alignedRows, gap, safeRows } from "./aligned.ts";
import { displayWidth } from "./display-width.ts";
import type { Look } from "./look.ts";
import { filled } from "./wrapped.ts";

/** One thing, with a line for each fact. On a terminal, long values go on below their beginning. */
export function cardOf(
  rows: readonly (readonly [title: string, value: string])[],
  { paint, columns }: Pick<Look, "paint" | "columns">,
): string {
  const painted = rows.map(([title, value]) => [paint("bold", title), value] as const);
  if (columns === null) return alignedRows(painted);
  const facts = safeRows(painted).map(([title = "", value = ""]) => ({ title, value }));
  const room = columns - widestTitle(facts) - gap.length;
  const lines = facts.map(({ title, value }) => ({ title, lines: filled(piecesOf(value), room) }));
  return `${factLines(lines, columns).join("\n")}\n`;
}

export interface Fact {
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Facts with their titles in a column. One that does not fit beside its title goes below it: an id that
 * is broken or cut is of no use.
 */
export function factLines(facts: readonly Fact[], columns: number): string[] {
  const indent = widestTitle(facts) + gap.length;
  return facts.flatMap(({ title, lines }) => {
    if (lines.some((line) => indent + displayWidth(line) > columns)) {
      return [title, ...lines.map((line) => gap + line)];
    }
    const padding = " ".repeat(indent - displayWidth(title));
    return lines.map((line, at) =>
      (at === 0 ? title + padding + line : " ".repeat(indent) + line).trimEnd(),
    );
  });
}

function widestTitle(facts: readonly { readonly title: string }[]): number {
  return Math.max(...facts.map(({ title }) => displayWidth(title)));
}

/** A remark in parentheses stays in one piece. */
function piecesOf(value: string): readonly string[] {
  return value.match(/\([^)]*\)\S*|\S+/g) ?? [""];
}
