/** One piece of JSON text: a string, a bracket, a comma, a colon, or a number or word. */
const piece = /\s*("(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+)/y;
const atom = /^(?:".*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/s;
const deepest = 200;

/**
 * JSON with line breaks and indents; undefined if the text is not JSON. It moves only white space: parsing it would
 * change large numbers, repeated names and escapes.
 */
export function formattedJson(text: string): string | undefined {
  const trimmed = text.trim();
  const open: string[] = [];
  let shown = "";
  let before = "";
  /** Whether the string before is the name of a field, which a colon must follow. */
  let isAfterName = false;
  piece.lastIndex = 0;
  while (piece.lastIndex < trimmed.length) {
    const token = piece.exec(trimmed)?.[1];
    if (token === undefined || !follows(token, before, open)) return undefined;
    if (isAfterName !== (token === ":")) return undefined;
    isAfterName = open.at(-1) === "{" && token.startsWith('"') && before !== ":";
    if (token === "}" || token === "]") {
      open.pop();
      shown += before === "{" || before === "[" ? token : lineBreak(open) + token;
    } else {
      if (before === "{" || before === "[" || before === ",") shown += lineBreak(open);
      shown += token === ":" ? ": " : token;
      if (token === "{" || token === "[") open.push(token);
    }
    if (open.length > deepest) return undefined;
    before = token;
  }
  return open.length === 0 && trimmed !== "" ? shown : undefined;
}

function lineBreak(open: readonly string[]): string {
  return `\n${"  ".repeat(open.length)}`;
}

/** Whether the token may stand here. It is strict enough to tell JSON from other text. */
function follows(token: string, before: string, open: readonly string[]): boolean {
  const inside = open.at(-1);
  const afterValue = before !== "" && !"{[,:".includes(before);
  if (token === ",") return afterValue && inside !== undefined;
  if (token === ":") return before.startsWith('"') && inside === "{";
  if (token === "}") return inside === "{" && before !== "," && before !== ":";
  if (token === "]") return inside === "[" && before !== ",";
  if (afterValue) return false;
  if (inside === "{" && before !== ":") return token.startsWith('"');
  return token === "{" || token === "[" || atom.test(token);
}
