import type { Site } from "./site.ts";

/** All values that a `Cookie` header has under this name. */
export function cookieValues(header: string, name: string): string[] {
  // Most cookies of a host are not ours.
  if (!header.includes(name)) return [];
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** The browser shows the cookie to no script, and sends it with no request of another site. */
export function sessionCookie(site: Site, sessionId: string, lifetimeMs: number): string {
  const secure = site.isSecure ? "; Secure" : "";
  const seconds = Math.max(0, Math.floor(lifetimeMs / 1_000));
  return `${site.cookieName}=${sessionId}; Path=/; Max-Age=${seconds}; HttpOnly${secure}; SameSite=Strict`;
}

export function removedCookie(site: Site): string {
  return sessionCookie(site, "", 0);
}
