import type { FastifyRequest } from "fastify";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { cookieValues } from "./session-cookie.ts";
import { whyForeign } from "./own-pages.ts";
import type { SiteOf } from "./site.ts";

/** A session that the cookie of a request names. It may have ended, or be made up. */
export class ShownSession {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

/** What a request shows: its `Authorization` header, or a session. */
export type Shown = string | ShownSession | undefined;

/** Reads the credential of a request, or refuses the request for how it shows it. Asks no store. */
export type ReadCredential = (
  request: Pick<FastifyRequest, "method" | "headers" | "protocol" | "host">,
) => Shown | RequestRefused;

export function readCredentialWith(siteOf: SiteOf): ReadCredential {
  return (request) => {
    const { authorization, cookie } = request.headers;
    if (cookie === undefined) return authorization;
    const site = siteOf(request);
    const ids = site === undefined ? [] : cookieValues(cookie, site.cookieName);
    if (ids.length === 0) return authorization;
    if (authorization !== undefined) {
      return new RequestRefused({
        code: codes.invalidRequest,
        message: `The request has two credentials. Send either Authorization or the cookie ${site!.cookieName}.`,
        field: "Authorization",
      });
    }
    const why = ids.length > 1 ? repeated(site!.cookieName) : whyForeign(request, site!);
    if (why === undefined) return new ShownSession(ids[0]!);
    return new RequestRefused({ code: codes.notAuthenticated, message: why });
  };
}

/** Somebody else has set one of them, for example another server on the same host. */
function repeated(name: string): string {
  return `The request has several cookies ${name}. Remove the cookies of this host in the browser, then sign in again.`;
}
