import type { FastifyRequest } from "fastify";
import type { Site } from "./site.ts";

/** No form and no link can send this header, and a script of another origin only with a leave that we never give. */
const consoleHeader = "postdate-console";
const safeMethods = new Set(["GET", "HEAD"]);

/**
 * Undefined if a page of this server made the request. Otherwise what it lacks. A browser adds a cookie by
 * itself, so a cookie alone does not say who wanted the request.
 */
export function whyForeign(
  { method, headers }: Pick<FastifyRequest, "method" | "headers">,
  { origin }: Site,
): string | undefined {
  const fetchSite = headers["sec-fetch-site"];
  const isOwn = fetchSite === undefined ? headers.origin === origin : fetchSite === "same-origin";
  if (!isOwn) {
    return `Only a page of this server may do this: the browser must send Sec-Fetch-Site: same-origin, or an older one Origin: ${origin}.`;
  }
  if (!safeMethods.has(method) && headers[consoleHeader] !== "1") {
    return `Only the console may do this: send the header ${consoleHeader}: 1.`;
  }
  return undefined;
}
