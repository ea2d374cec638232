import type { FastifyRequest } from "fastify";

/** The server as the browser of a request sees it. */
export interface Site {
  readonly origin: string;
  readonly cookieName: string;
  /** Whether the browser came over TLS. */
  readonly isSecure: boolean;
}

/** Undefined if the browser came over plain HTTP from another machine: there are no sessions then. */
export type SiteOf = (request: Pick<FastifyRequest, "protocol" | "host">) => Site | undefined;

/** Browsers take a cookie with this prefix only over TLS, for the whole of one host, and for no other. */
const secureCookie = "__Host-postdate";
const loopbackCookie = "postdate-loopback";
const loopbackHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * A public URL with TLS says where browsers are, whatever a proxy has made of the request. Without one, the
 * request says it: a trusted proxy names the protocol and the host that the browser used
 * (`X-Forwarded-Proto`, `X-Forwarded-Host`). The `Host` of a request cannot be forged by a page.
 */
export function createSiteOf(publicUrl: string | null): SiteOf {
  const known = publicUrl?.startsWith("https:") === true ? new URL(publicUrl).origin : undefined;
  return ({ protocol, host }) => {
    if (known !== undefined) return secureSite(known);
    const url = URL.parse(`${protocol}://${host}`);
    if (url === null) return undefined;
    if (protocol === "https") return secureSite(url.origin);
    if (!loopbackHost.test(url.hostname)) return undefined;
    return { origin: url.origin, cookieName: loopbackCookie, isSecure: false };
  };
}

function secureSite(origin: string): Site {
  return { origin, cookieName: secureCookie, isSecure: true };
}
