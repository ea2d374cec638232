/** The deepest page is two folders below the console. What is far deeper is no page. */
const deepest = 8;

/**
 * How the page at this path reaches the folder of the console: `./` or `../` and so on. Undefined if no page is so deep.
 * Only relative addresses work below a path that a proxy has taken away. `<base>` would need a hole in the policy.
 */
export function wayUp(pathInConsole: string): string | undefined {
  const depth = pathInConsole.split("/").length - 1;
  return depth > deepest ? undefined : "../".repeat(depth) || "./";
}

/** Fills the gaps of the built page: its nonce, and the way to its files. */
export function fillPage(template: string, gaps: { nonce: string; up: string }): string {
  return template.replaceAll('="./', `="${gaps.up}`).replaceAll("%NONCE%", gaps.nonce);
}

/** Mantine adds styles at run time; the nonce lets them pass, and no others. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
