import { Help, type HelpConfiguration } from "commander";
import { displayWidth } from "../terminal/display-width.ts";
import { indented, wrapped } from "../terminal/wrapped.ts";

/** The width of help that no terminal shows. */
export const usualColumns = 80;
/** An explanation that would be narrower than this goes below its term. */
const narrowestExplanation = 30;
const termIndent = 2;
const gap = 2;
const belowIndent = 6;

/** Makes help fit the terminal. Commander's own layout gives up where little room is left. */
export const helpLayout: HelpConfiguration = {
  minWidthToWrap: 1,
  commandUsage(command) {
    const title = "Usage: ";
    const usage = new Help().commandUsage(command);
    const [first = "", ...others] = wrapped(usage, columnsOf(this) - title.length);
    return [first, ...indented(others, title.length)].join("\n");
  },
  formatItem(term, termWidth, description, helper) {
    return termLines({ term, termWidth, description, columns: columnsOf(helper) }).join("\n");
  },
};

function columnsOf({ helpWidth }: HelpConfiguration): number {
  return helpWidth ?? usualColumns;
}

export interface Term {
  readonly term: string;
  /** The width of the longest term beside it. */
  readonly termWidth: number;
  readonly description: string;
  readonly columns: number;
}

/** A term with its explanation beside it, or below it if there is little room. */
export function termLines({ term, termWidth, description, columns }: Term): string[] {
  const beside = termIndent + termWidth + gap;
  const shownTerm = " ".repeat(termIndent) + term;
  if (description === "") return [shownTerm];
  if (columns - beside < narrowestExplanation) {
    const [begin = "", ...rest] = wrapped(term, columns - 2 * termIndent);
    return [
      ...indented([begin], termIndent),
      ...indented(rest, 2 * termIndent),
      ...indented(wrapped(description, columns - belowIndent), belowIndent),
    ];
  }
  const [first = "", ...others] = wrapped(description, columns - beside);
  const padding = " ".repeat(beside - displayWidth(shownTerm));
  return [`${shownTerm}${padding}${first}`, ...indented(others, beside)];
}
