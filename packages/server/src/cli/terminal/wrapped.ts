import { displayWidth } from "./display-width.ts";

/** Breaks a text at its spaces. A word that is wider than the lines has a line of its own. */
export function wrapped(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => filled(line.split(/\s+/), columns));
}

/** Lines of whole words, each as full as it can be. */
export function filled(words: readonly string[], columns: number): string[] {
  const [first = "", ...others] = words;
  const lines = [first];
  for (const word of others) {
    const longer = `${lines.at(-1)} ${word}`;
    if (displayWidth(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

export function indented(lines: readonly string[], by: number): string[] {
  return lines.map((line) => " ".repeat(by) + line);
}
