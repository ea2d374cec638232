export interface SignedContent {
  readonly messageId: string;
  /** As the header has it. */
  readonly timestamp: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Whether one of the signatures in `webhook-signature` was made with one of the keys. */
export async function isSigned(
  content: SignedContent,
  signatures: string,
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const bytes = signedBytes(content);
  // A key signs once, however many signatures a stranger sends along.
  const expected = await Promise.all(keys.map((key) => sign(key, bytes)));
  // A sender that repeats the header has its values joined by commas.
  const given = signatures.split(/,? +/);
  return expected.some((mine) => given.some((theirs) => isEqual(mine, theirs)));
}

function signedBytes({ messageId, timestamp, body }: SignedContent): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${messageId}.${timestamp}.`);
  const bytes = new Uint8Array(start.length + body.length);
  bytes.set(start);
  bytes.set(body, start.length);
  return bytes;
}

async function sign(key: Uint8Array<ArrayBuffer>, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

/** Takes as long for a signature that is nearly right as for one that is all wrong. */
function isEqual(mine: string, theirs: string): boolean {
  let difference = mine.length ^ theirs.length;
  for (let index = 0; index < mine.length; index++) {
    difference |= mine.charCodeAt(index) ^ theirs.charCodeAt(index);
  }
  return difference === 0;
}
