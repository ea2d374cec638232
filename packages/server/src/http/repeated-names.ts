/**
 * `JSON.parse` keeps the last of several fields with the same name, others the first: whoever checks a
 * body on its way here may have seen another one. Here the text itself is looked at, once `JSON.parse`
 * has accepted it.
 */

interface Level {
  /** Null inside of a list. */
  readonly names: Set<string> | null;
  /** The field, or the entry, that is being looked at. */
  at: string | number;
}

/** The first field that its object has twice, as `messages[3].payload`. */
export function findRepeatedName(text: string): string | undefined {
  const levels: Level[] = [];
  const parts = /["{}[\],]/g;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    const level = levels.at(-1);
    if (part[0] === "{") levels.push({ names: new Set(), at: "" });
    else if (part[0] === "[") levels.push({ names: null, at: 0 });
    else if (part[0] === "}" || part[0] === "]") levels.pop();
    else if (part[0] === ",") {
      if (typeof level?.at === "number") level.at++;
    } else {
      const end = endOfString(text, part.index);
      parts.lastIndex = end + 1;
      if (level?.names == null || !isName(text, end)) continue;
      level.at = JSON.parse(text.slice(part.index, end + 1)) as string;
      if (level.names.has(level.at)) return pathOf(levels);
      level.names.add(level.at);
    }
  }
  return undefined;
}

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ at }, index) => (typeof at === "number" ? `[${at}]` : index === 0 ? at : `.${at}`))
    .join("");
}

/** Where the string that begins here has its closing quotation mark. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === 92 /* \ */) backslashes++;
  return backslashes % 2 === 1;
}

/** Whether a string that ends here is the name of a field. */
function isName(text: string, end: number): boolean {
  let next = end + 1;
  // JSON has no other characters up to the space than its four blanks.
  while (text.charCodeAt(next) <= 32) next++;
  return text.charCodeAt(next) === 58; /* : */
}
