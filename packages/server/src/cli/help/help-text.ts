import type { AddHelpTextContext } from "commander";
import { displayWidth } from "../terminal/display-width.ts";
import { termLines, usualColumns } from "./help-layout.ts";
import { filled, indented, wrapped } from "../terminal/wrapped.ts";

/** A part of what stands below the options in help. Its lines fit the columns. */
export type HelpPart = (columns: number) => readonly string[];

/** For `addHelpText`. */
export type HelpText = (context: AddHelpTextContext) => string;

/** The parts, with an empty line before each. */
export function helpText(...parts: readonly HelpPart[]): HelpText {
  return ({ command, error }) => {
    const output = command.configureOutput();
    const width = error ? output.getErrHelpWidth?.() : output.getOutHelpWidth?.();
    const columns = width ?? usualColumns;
    return parts.flatMap((part) => ["", ...part(columns)]).join("\n");
  };
}

function paragraph(text: string): HelpPart {
  return (columns) => wrapped(text, columns);
}

/** A command line that works when it is typed, and what it does. */
export type Example = readonly [command: string, meaning: string];

export function examples(...all: readonly Example[]): HelpText {
  return helpText(exampleList("Examples:", all));
}

/** An explanation, then examples. */
export function explained(text: string, ...all: readonly Example[]): HelpText {
  return helpText(paragraph(text), exampleList("Examples:", all));
}

/** If one meaning does not fit beside its command, each stands above it. */
export function exampleList(title: string, all: readonly Example[]): HelpPart {
  const width = Math.max(...all.map(([command]) => displayWidth(command)));
  const beside = all.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`);
  return (columns) => {
    const fits = beside.every((line) => displayWidth(line) <= columns);
    const lines = fits ? beside : all.flatMap((example) => stacked(example, columns));
    return [...wrapped(title, columns), ...lines];
  };
}

function stacked([command, meaning]: Example, columns: number): string[] {
  const comment = wrapped(meaning, columns - 4).map((line) => `  # ${line}`);
  const continuation = 2;
  const [first = "", ...others] = filled(piecesOf(command), columns - 4 - continuation);
  const lines = [`  ${first}`, ...indented(others, 2 + continuation)];
  // A shell goes on with the next line after a backslash.
  return [...comment, ...lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line))];
}

/** What a shell takes for one word stays in one piece, and so does an option with its value. */
function piecesOf(command: string): string[] {
  return command.match(/(?:(?:--?\w\S*|[<>]+) (?!-))?(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
}

/** Terms with their explanations, under a title. */
export function terms(title: string, all: readonly (readonly [string, string])[]): HelpPart {
  const termWidth = Math.max(...all.map(([term]) => displayWidth(term)));
  return (columns) => [
    title,
    ...all.flatMap(([term, description]) => termLines({ term, termWidth, description, columns })),
  ];
}
