/** A line for scripts, which must not take "undefined" for a key: throws if a part is no text. */
export function credentialLine(...parts: readonly string[]): string {
  for (const part of parts) {
    if (typeof part !== "string" || part === "") throw new TypeError("the credential is missing");
  }
  return `${parts.join(" ")}\n`;
}
