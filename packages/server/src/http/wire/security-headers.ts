const always = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Two years: browsers ask this of sites that want to be on their preload lists. */
const strictTransport = { "strict-transport-security": "max-age=63072000" };

/**
 * The headers of every answer. They tell a browser that the answer is not a page, and not to keep it,
 * frame it or guess its type. A route for browsers, such as `/docs`, sets its own. The header that
 * demands TLS is sent only if the public URL has it.
 */
export function securityHeaders(publicUrl: string | null): Readonly<Record<string, string>> {
  const overTls = publicUrl?.startsWith("https:") === true;
  return overTls ? { ...always, ...strictTransport } : always;
}
