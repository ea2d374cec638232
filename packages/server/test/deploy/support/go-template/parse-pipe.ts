import type { Operand, Pipe } from "./nodes.ts";

const token =
  /\s*(?:("(?:[^"\\]|\\.)*")|`([^`]*)`|(-?\d+(?:\.\d+)?)|(\$\w*)?((?:\.\w+)+|\.)|(\$\w*)|(\w+)|([|()]))/gy;

type Token = Operand | "|" | "(" | ")";

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let read = 0;
  for (const match of text.matchAll(token)) {
    read += match[0].length;
    const [, quoted, raw, number, root, path, variable, word, sign] = match;
    if (sign !== undefined) tokens.push(sign as Token);
    else if (quoted !== undefined) tokens.push({ kind: "value", value: JSON.parse(quoted) });
    else if (raw !== undefined) tokens.push({ kind: "value", value: raw });
    else if (number !== undefined) tokens.push({ kind: "value", value: Number(number) });
    else if (path !== undefined) tokens.push(fieldOf(root ?? "", path));
    else if (variable !== undefined) tokens.push(fieldOf(variable, ""));
    else if (word === "true" || word === "false")
      tokens.push({ kind: "value", value: word === "true" });
    else tokens.push({ kind: "name", name: word! });
  }
  if (text.slice(read).trim() !== "") throw new Error(`not understood: ${text.slice(read)}`);
  return tokens;
}

function fieldOf(root: string, path: string): Operand {
  return { kind: "field", root, path: path.split(".").filter((name) => name !== "") };
}

export function parsePipe(text: string): Pipe {
  const tokens = tokensOf(text);
  let at = 0;

  function parse(isInner: boolean): Pipe {
    const pipe: Operand[][] = [[]];
    while (at < tokens.length) {
      const next = tokens[at++]!;
      if (next === ")") {
        if (!isInner) throw new Error(`a ) too many: ${text}`);
        return pipe;
      }
      if (next === "|") pipe.push([]);
      else if (next === "(") pipe.at(-1)!.push({ kind: "pipe", pipe: parse(true) });
      else pipe.at(-1)!.push(next);
    }
    if (isInner) throw new Error(`a ) is missing: ${text}`);
    return pipe;
  }

  const pipe = parse(false);
  if (pipe.some((command) => command.length === 0)) throw new Error(`an empty command: ${text}`);
  return pipe;
}
