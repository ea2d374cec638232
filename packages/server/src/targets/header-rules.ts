import { codes } from "../domain/refusals.ts";
import type { Problem } from "../domain/refusals.ts";

/** Names and values of headers that a target or a message adds to its attempts. */
export type Headers = Readonly<Record<string, string>>;

/** Shown instead of a header's value. */
export const valueIsSet = "set";

const longestHeaderName = 128;
const longestHeaderValue = 4_096;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII with blanks and tabs inside. Every receiver gets such a value as it was sent. */
const headerValue = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;
const mediaType =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[\t ]*;[\t -~]*)?$/;
const reservedNames: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "te",
  "trailer",
  "expect",
]);
const reservedPrefixes = ["proxy-", "webhook-", "postdate-"];

/** The characters of all names and values. */
export function headersSize(headers: Headers): number {
  let characters = 0;
  for (const [name, value] of Object.entries(headers)) characters += name.length + value.length;
  return characters;
}

/** Everything that is wrong with headers that attempts are to carry. */
export function headerProblems(headers: Headers, mostHeaders: number): Problem[] {
  const entries = Object.entries(headers);
  if (entries.length > mostHeaders) {
    return [problem("headers", `Remove some headers: there may be at most ${mostHeaders}.`)];
  }
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [name, value] of entries) {
    const lowerName = name.toLowerCase();
    const advice =
      adviseOnName(name, lowerName) ??
      (seen.has(lowerName)
        ? "Give this header once: names that differ only in case are the same."
        : undefined) ??
      adviseOnValue(value);
    seen.add(lowerName);
    if (advice !== undefined) problems.push(problem(`headers.${name}`, advice));
  }
  return problems;
}

function adviseOnName(name: string, lowerName: string): string | undefined {
  if (name.length > longestHeaderName) {
    return `Shorten the header name: it may have at most ${longestHeaderName} characters.`;
  }
  if (!token.test(name)) {
    return "Use only letters, digits and !#$%&'*+-.^_`|~ in a header name.";
  }
  if (name === "__proto__") return "Choose another name: this one cannot be sent.";
  if (lowerName === "content-type") return "Set contentType instead of this header.";
  const isReserved =
    reservedNames.has(lowerName) || reservedPrefixes.some((prefix) => lowerName.startsWith(prefix));
  return isReserved ? "Remove this header: the service sets it itself." : undefined;
}

function adviseOnValue(value: string): string | undefined {
  if (value.length > longestHeaderValue) {
    return `Shorten the header value: it may have at most ${longestHeaderValue} characters.`;
  }
  if (headerValue.test(value)) return undefined;
  return "Use only visible ASCII characters, with blanks or tabs between them, in a header value.";
}

export function contentTypeProblems(contentType: string): Problem[] {
  const isFine = contentType.length <= longestHeaderValue && mediaType.test(contentType);
  if (isFine) return [];
  return [problem("contentType", "Give a media type such as application/json, in ASCII.")];
}

function problem(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}
