import type { ApiAnswer } from "../support/api.ts";

/** Headers that differ from one request to the next. */
const ofTheMoment = new Set(["date", "x-request-id", "ratelimit", "ratelimit-policy"]);

export interface ComparableAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** An answer in a form that two callers can compare byte for byte. Dots replace each text in `hide`. */
export function comparable(
  { status, headers, text }: ApiAnswer,
  hide: readonly string[] = [],
): ComparableAnswer {
  return {
    status,
    headers: [...headers].filter(([name]) => !ofTheMoment.has(name)),
    text: hide.reduce((shown, each) => shown.replaceAll(each, ".".repeat(each.length)), text),
  };
}
