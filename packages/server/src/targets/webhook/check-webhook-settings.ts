import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

const longestUrl = 2_048;
const mostHeaders = 32;
const longestHeaderName = 128;
const longestHeaderValue = 4_096;
const leastTimeoutMs = 100;
const mostTimeoutMs = 300_000;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII with blanks and tabs inside. Every receiver gets such a value as it was sent. */
const headerValue = /^(?:[!-~](?:[\t -~]*[!-~])?)?$/;
const mediaType =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[\t ]*;[\t -~]*)?$/;
/** `URL` silently drops or trims these characters. */
// oxlint-disable-next-line no-control-regex -- they are what must not get through
const blankOrControl = /[\u0000-\u0020\u007f]/;

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

/** Checks everything that needs no network. */
export function checkWebhookSettings(settings: WebhookSettings): readonly Problem[] {
  return [
    ...checkUrl(settings.url),
    ...checkHeaders(settings.headers),
    ...checkContentType(settings.contentType),
    ...checkTimeout(settings.timeoutMs),
  ];
}

function checkUrl(text: string): Problem[] {
  if (text.length > longestUrl) {
    return [problem("url", `Shorten the URL: it may have at most ${longestUrl} characters.`)];
  }
  if (blankOrControl.test(text)) {
    return [problem("url", "Percent-encode blanks and control characters in the URL.")];
  }
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return [problem("url", "Give an absolute URL that begins with http:// or https://.")];
  }
  const problems: Problem[] = [];
  if (url.username !== "" || url.password !== "") {
    const advice = "Remove the user name and password from the URL; send an Authorization header.";
    problems.push(problem("url", advice));
  }
  // `hash` is also empty for a bare "#".
  if (url.href.includes("#")) {
    problems.push(problem("url", "Remove the fragment (#…) from the URL: it is never sent."));
  }
  if (url.port === "0") {
    problems.push(problem("url", "Give a port from 1 to 65535, or none."));
  }
  return problems;
}

function checkHeaders(headers: WebhookSettings["headers"]): Problem[] {
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

function checkContentType(contentType: string): Problem[] {
  const isFine = contentType.length <= longestHeaderValue && mediaType.test(contentType);
  if (isFine) return [];
  return [problem("contentType", "Give a media type such as application/json, in ASCII.")];
}

function checkTimeout(timeoutMs: number): Problem[] {
  const isFine =
    Number.isInteger(timeoutMs) && timeoutMs >= leastTimeoutMs && timeoutMs <= mostTimeoutMs;
  if (isFine) return [];
  const advice = `Give a whole number of milliseconds from ${leastTimeoutMs} to ${mostTimeoutMs}.`;
  return [problem("timeoutMs", advice)];
}

function problem(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}
