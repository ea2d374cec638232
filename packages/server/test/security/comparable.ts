import type { ApiAnswer } from "../support/api.ts";

/** What differs from one request to the next, whatever was asked. */
const ofTheMoment = new Set(["date", "x-request-id", "ratelimit", "ratelimit-policy"]);

export interface ComparableAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** An answer as two callers could compare it byte for byte; `hide` is replaced by as many dots. */
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
