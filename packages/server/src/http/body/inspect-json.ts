import { clippedName } from "../wire/clipped-name.ts";

export type Verdict = "fine" | "repeated-names" | "lone-surrogates";

/**
 * Checks a parsed body in one quick walk. If its text has more names than the value has fields, some
 * names came twice.
 */
export function inspectJson(value: object, namesInText: number): Verdict {
  let names = 0;
  let wellFormed = true;
  const walk = (part: unknown): void => {
    if (typeof part === "string") {
      wellFormed &&= part.isWellFormed();
    } else if (Array.isArray(part)) {
      for (const entry of part) walk(entry);
    } else if (typeof part === "object" && part !== null) {
      for (const name in part) {
        names++;
        wellFormed &&= name.isWellFormed();
        walk((part as Record<string, unknown>)[name]);
      }
    }
  };
  walk(value);
  if (names !== namesInText) return "repeated-names";
  return wellFormed ? "fine" : "lone-surrogates";
}

/** JSON pointers to every string and every field name with a lone surrogate. */
export function findLoneSurrogates(value: object): string[] {
  const found: string[] = [];
  const walk = (part: unknown, pointer: string): void => {
    if (typeof part === "string") {
      if (!part.isWellFormed()) found.push(pointer);
    } else if (typeof part === "object" && part !== null) {
      for (const [name, entry] of Object.entries(part)) {
        const escaped = clippedName(name.toWellFormed())
          .replaceAll("~", "~0")
          .replaceAll("/", "~1");
        if (!name.isWellFormed()) found.push(`${pointer}/${escaped}`);
        walk(entry, `${pointer}/${escaped}`);
      }
    }
  };
  walk(value, "");
  return found;
}
