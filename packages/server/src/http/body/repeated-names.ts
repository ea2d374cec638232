import { clippedName } from "../wire/clipped-name.ts";
import { endOfString, nextMark } from "./scan-json.ts";

/**
 * `JSON.parse` keeps the last of several fields with the same name, other parsers keep the first. So a
 * proxy that checks bodies may have seen another value. This looks at the text itself, after `JSON.parse`
 * has accepted it. It decodes only the names, not the other strings.
 */

interface Level {
  /** Null for a list. */
  readonly names: Set<string> | null;
  /** The current field or entry. */
  at: string | number;
}

/** The first field that an object has twice, such as `messages[3].payload`. */
export function findRepeatedName(bytes: Buffer): string | undefined {
  const levels: Level[] = [];
  for (let index = nextMark(bytes, 0); index < bytes.length; index = nextMark(bytes, index + 1)) {
    const level = levels.at(-1);
    switch (bytes[index]) {
      case 123 /* { */:
        levels.push({ names: new Set(), at: "" });
        break;
      case 91 /* [ */:
        levels.push({ names: null, at: 0 });
        break;
      case 125 /* } */:
      case 93 /* ] */:
        levels.pop();
        break;
      case 44 /* , */:
        if (typeof level?.at === "number") level.at++;
        break;
      case 34 /* " */: {
        const end = endOfString(bytes, index);
        if (level?.names != null && isName(bytes, end)) {
          level.at = JSON.parse(bytes.toString("utf8", index, end + 1)) as string;
          if (level.names.has(level.at)) return pathOf(levels);
          level.names.add(level.at);
        }
        index = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

function pathOf(levels: readonly Level[]): string {
  return levels
    .map(({ at }, index) => {
      if (typeof at === "number") return `[${at}]`;
      return index === 0 ? clippedName(at) : `.${clippedName(at)}`;
    })
    .join("");
}

/** Whether a string that ends here is the name of a field. */
function isName(bytes: Buffer, end: number): boolean {
  let next = end + 1;
  // Valid JSON has no other bytes up to 32 here than its four blanks.
  while (bytes[next]! <= 32) next++;
  return bytes[next] === 58; /* : */
}
