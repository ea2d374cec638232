/** Secrets by name. */
export type Secrets = Readonly<Record<string, string | Uint8Array>>;

/** The names of the secrets that appear in the text or the bytes, in any spelling. */
export function secretsIn(found: string | Uint8Array, secrets: Secrets): string[] {
  const bytes = Buffer.from(found as string);
  return Object.entries(secrets)
    .filter(([, secret]) => spellingsOf(secret).some((spelling) => bytes.includes(spelling)))
    .map(([name]) => name);
}

function spellingsOf(secret: string | Uint8Array): Buffer[] {
  const bytes = Buffer.from(secret as string);
  if (bytes.length < 8) throw new Error("too short to be told from other things");
  const hex = bytes.toString("hex");
  const spelled = [
    hex,
    hex.toUpperCase(),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    ...(typeof secret === "string" ? [encodeURIComponent(secret)] : []),
  ];
  return [bytes, ...spelled.map((each) => Buffer.from(each))];
}
