/** Far more than any operation takes, few enough to report on one by one. */
const mostValues = 10_000;
const deepest = 20;

export type Verdict = "fine" | "too-big" | "repeated-names" | "lone-surrogates";

/**
 * One quick walk over a parsed body; most bodies are a handful of strings. Where its text had more
 * names than the value has fields, some came twice.
 */
export function inspectJson(value: object, namesInText: number): Verdict {
  let left = mostValues;
  let names = 0;
  let wellFormed = true;
  const walk = (part: unknown, depth: number): boolean => {
    if (--left < 0 || depth > deepest) return false;
    if (typeof part === "string") {
      wellFormed &&= part.isWellFormed();
      return true;
    }
    if (typeof part !== "object" || part === null) return true;
    if (Array.isArray(part)) return part.every((entry) => walk(entry, depth + 1));
    for (const name in part) {
      names++;
      wellFormed &&= name.isWellFormed();
      if (!walk((part as Record<string, unknown>)[name], depth + 1)) return false;
    }
    return true;
  };
  if (!walk(value, 0)) return "too-big";
  if (names !== namesInText) return "repeated-names";
  return wellFormed ? "fine" : "lone-surrogates";
}

/** JSON pointers to every string, or object with a name, that has a lone surrogate. */
export function findLoneSurrogates(value: object): string[] {
  const found: string[] = [];
  const walk = (part: unknown, pointer: string): void => {
    if (typeof part === "string") {
      if (!part.isWellFormed()) found.push(pointer);
    } else if (typeof part === "object" && part !== null) {
      for (const [name, entry] of Object.entries(part)) {
        const escaped = name.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1");
        if (!name.isWellFormed()) found.push(`${pointer}/${escaped}`);
        walk(entry, `${pointer}/${escaped}`);
      }
    }
  };
  walk(value, "");
  return found;
}
