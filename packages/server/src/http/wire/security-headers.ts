const always = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Two years, which is what browsers ask of those who want to be on their lists. */
const strictTransport = { "strict-transport-security": "max-age=63072000" };

/**
 * What every answer tells a browser: nothing of this is a page, and none of it is to be kept, framed or
 * guessed at. A route that is meant for browsers sets its own, as `/docs` does. That there is always
 * TLS is said only where there is.
 */
export function securityHeaders(publicUrl: string | null): Readonly<Record<string, string>> {
  const overTls = publicUrl?.startsWith("https:") === true;
  return overTls ? { ...always, ...strictTransport } : always;
}
