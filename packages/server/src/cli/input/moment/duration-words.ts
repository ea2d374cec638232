import { parseDuration } from "../../../config/durations.ts";

/** Each unit of a duration, and the words for it. */
const unitWords: Readonly<Record<string, string>> = {
  ms: "ms millisecond milliseconds",
  s: "s sec secs second seconds",
  m: "m min mins minute minutes",
  h: "h hr hrs hour hours",
  d: "d day days",
  w: "w week weeks",
};

const unitOf: ReadonlyMap<string, string> = new Map(
  Object.entries(unitWords).flatMap(([unit, words]) =>
    words.split(" ").map((word): [string, string] => [word, unit]),
  ),
);

/** Whether the text has the form of `2h30m`. */
export function isCompact(text: string): boolean {
  return /^(?:[\d.]+(?:ms|[smhdw]))+$/.test(text);
}

/** `2 hours and 30 minutes` as `2h30m`. Text that means no duration stays as it is. */
export function compactDuration(text: string): string {
  const compact = text
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\ban? (?=[a-z])/g, "1")
    .replaceAll(/(\d) ?([a-z]+)/g, (_all, digit: string, word: string) => {
      return `${digit}${unitOf.get(word) ?? word}`;
    })
    .replaceAll(/(?<=[a-z])(?:,| and|, and)? (?=\d)/g, "");
  return isCompact(compact) ? compact : text;
}

/** Reads `2h30m` and `2 hours and 30 minutes` as milliseconds. Throws `InvalidValue`. */
export function durationMsOf(text: string): number {
  return parseDuration(compactDuration(text));
}

/** Whether the text is a duration alone, which counts from something else. */
export function isDuration(text: string): boolean {
  return isCompact(compactDuration(text));
}
