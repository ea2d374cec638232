import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { headersSize, valueIsSet } from "../header-rules.ts";
import type { Headers } from "../header-rules.ts";

/** Names and values of all headers of a target. */
const mostCharacters = 8_192;

export function hideHeaderValues(headers: Headers): Headers {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, valueIsSet]));
}

/**
 * The given headers. A value of "set" means the stored value, so that a client can write back what it has
 * read. If there is no stored value, "set" is refused and never sent. Only headers that a caller gives are
 * measured, so a target that was made with longer ones is delivered to as before.
 */
export function fillHeaderValues(
  given: Headers,
  kept: Headers,
): { readonly headers: Headers; readonly problems: readonly Problem[] } {
  const values = new Map(
    Object.entries(kept).map(([name, value]) => [name.toLowerCase(), value] as const),
  );
  const problems: Problem[] = [];
  const filled = Object.entries(given).map(([name, value]) => {
    if (value !== valueIsSet) return [name, value] as const;
    const keptValue = values.get(name.toLowerCase());
    if (keptValue === undefined) problems.push(nothingToKeep(name));
    return [name, keptValue ?? value] as const;
  });
  const headers = Object.fromEntries(filled);
  if (headersSize(headers) > mostCharacters) problems.push(tooLong);
  return { headers, problems };
}

/**
 * A caller who may change a target could read its header values by sending them to a receiver of its own.
 * So values given for one receiver stay with that receiver. Another scheme, host or port is another
 * receiver.
 */
export function strayingProblems(
  given: Headers | null | undefined,
  kept: { readonly url: string; readonly headers: Headers },
  newUrl: string,
): readonly Problem[] {
  const values = Object.values(given === undefined ? kept.headers : (given ?? {}));
  const keepsSome = given === undefined ? values.length > 0 : values.includes(valueIsSet);
  if (!keepsSome || newUrl === kept.url) return [];
  const [from, to] = [URL.parse(kept.url)?.origin, URL.parse(newUrl)?.origin];
  if (to === undefined || from === to) return [];
  return [
    {
      code: codes.invalidRequest,
      message:
        "Give the header values again with the new URL, or {} for none. The present values were given for another scheme, host or port, and are not sent elsewhere.",
      field: "headers",
    },
  ];
}

const tooLong: Problem = {
  code: codes.invalidRequest,
  message: `Shorten the headers: their names and values may have at most ${mostCharacters} characters together.`,
  field: "headers",
};

function nothingToKeep(name: string): Problem {
  return {
    code: codes.invalidRequest,
    message: `Give the value itself: "${valueIsSet}" keeps a present value, and the target has none for this header.`,
    field: `headers.${name}`,
  };
}
