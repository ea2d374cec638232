import { onOneLine } from "./aligned.ts";

/**
 * A copy of an answer that is safe to show. All its texts, and the names of its fields, are on one line
 * and have no control characters: a service could otherwise hide or forge what a terminal shows.
 */
export function readable<Answer>(answer: Answer): Answer {
  return copyOf(answer) as Answer;
}

function copyOf(value: unknown): unknown {
  if (typeof value === "string") return onOneLine(value);
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [onOneLine(name), copyOf(field)]),
  );
}
