import type { Problem } from "../domain/refusals.ts";
import { valueIsSet } from "../domain/target.ts";

type Headers = Readonly<Record<string, string>>;

/** The values may be credentials: whoever reads a target sees which headers it has. */
export function hideHeaderValues(headers: Headers): Headers {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, valueIsSet]));
}

/**
 * The headers as given, where a value that was read as "set" means the value that is there: a client
 * may write back what it has read. One that has no value to keep is refused, never sent as "set".
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
  return { headers: Object.fromEntries(filled), problems };
}

function nothingToKeep(name: string): Problem {
  return {
    code: "E-DI-1001",
    message: `Give the value itself: "${valueIsSet}" stands for a value that the target has already, and it has none for this header.`,
    field: `headers.${name}`,
  };
}
