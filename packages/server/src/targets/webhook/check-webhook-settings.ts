import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { contentTypeProblems, headerProblems } from "../header-rules.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

const longestUrl = 2_048;
/** Of a target. The messages to it may add their own. */
const mostHeaders = 32;
const leastTimeoutMs = 100;
const mostTimeoutMs = 300_000;

/** `URL` silently drops or trims these characters. */
// oxlint-disable-next-line no-control-regex -- they are what must not get through
const blankOrControl = /[\u0000-\u0020\u007f]/;

/** Checks everything that needs no network. */
export function checkWebhookSettings(
  settings: WebhookSettings,
  { most = mostHeaders } = {},
): readonly Problem[] {
  return [
    ...checkUrl(settings.url),
    ...headerProblems(settings.headers, most),
    ...contentTypeProblems(settings.contentType),
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
