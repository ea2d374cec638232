import type { Branch, Node } from "./nodes.ts";
import { parsePipe } from "./parse-pipe.ts";

interface Piece {
  readonly kind: "text" | "action";
  readonly text: string;
}

/** Text and actions in turn. A `-` at an action's edge takes the white space beside it away. */
function* piecesOf(source: string): Generator<Piece> {
  const action = /\{\{(- )?\s*(\/\*[^]*?\*\/|(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[^"`}])*?)\s*( -)?\}\}/g;
  let from = 0;
  let trimNext = false;
  const textBefore = (end: number, trimEnd: boolean): string => {
    let text = source.slice(from, end);
    if (trimNext) text = text.replace(/^\s+/, "");
    if (trimEnd) text = text.replace(/\s+$/, "");
    return text;
  };
  for (const match of source.matchAll(action)) {
    yield { kind: "text", text: textBefore(match.index, match[1] !== undefined) };
    yield { kind: "action", text: match[2]! };
    trimNext = match[3] !== undefined;
    from = match.index + match[0].length;
  }
  const rest = textBefore(source.length, false);
  if (rest.includes("{{")) throw new Error(`not understood: ${rest.slice(rest.indexOf("{{"))}`);
  yield { kind: "text", text: rest };
}

export function parseTemplate(source: string): readonly Node[] {
  const pieces = [...piecesOf(source)];
  let at = 0;

  /** The nodes up to an `else` or an `end`, and that action. */
  function parseBody(): { body: Node[]; closing: string | undefined } {
    const body: Node[] = [];
    while (at < pieces.length) {
      const { kind, text } = pieces[at++]!;
      if (kind === "text") body.push({ kind, text });
      else if (/^(else|end)\b/.test(text)) return { body, closing: text };
      else if (!text.startsWith("/*")) body.push(parseAction(text));
    }
    return { body, closing: undefined };
  }

  function parseAction(text: string): Node {
    const [, word = "", rest = ""] = /^(\w+)?\s*([^]*)$/.exec(text)!;
    if (word === "define") {
      const { body, closing } = parseBody();
      if (closing !== "end") throw new Error(`${text} has no end`);
      return { kind: "define", name: JSON.parse(rest), body };
    }
    if (word === "if" || word === "with") return { kind: word, branches: parseBranches(rest) };
    if (word === "range") {
      const [, names = "", over = rest] = /^((?:\$\w+,?\s*)+):=\s*([^]*)$/.exec(rest) ?? [];
      return { kind: word, names: names.match(/\$\w+/g) ?? [], branches: parseBranches(over) };
    }
    const [, variable, value] = /^(\$\w+)\s*:?=\s*([^]*)$/.exec(text) ?? [];
    if (variable !== undefined) return { kind: "set", variable, pipe: parsePipe(value!) };
    return { kind: "print", pipe: parsePipe(text) };
  }

  function parseBranches(condition: string): Branch[] {
    const branches: Branch[] = [];
    let pipe = parsePipe(condition);
    for (;;) {
      const { body, closing } = parseBody();
      branches.push({ pipe, body });
      if (closing === "end") return branches;
      if (closing === undefined) throw new Error(`no end of: ${condition}`);
      const [, next] = /^else\s+if\s+([^]*)$/.exec(closing) ?? [];
      if (next !== undefined) {
        pipe = parsePipe(next);
        continue;
      }
      const last = parseBody();
      if (last.closing !== "end") throw new Error(`no end after the else of: ${condition}`);
      return [...branches, { pipe: null, body: last.body }];
    }
  }

  const { body, closing } = parseBody();
  if (closing !== undefined) throw new Error(`an ${closing} too many`);
  return body;
}
