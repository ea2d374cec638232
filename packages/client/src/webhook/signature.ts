/** Whether one of the signatures in `webhook-signature` was made with one of the keys. */
export async function isSigned(
  content: Blob,
  signatures: string,
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const bytes = await content.arrayBuffer();
  // A key signs once, however many signatures a stranger sends along.
  const expected = await Promise.all(keys.map((key) => sign(key, bytes)));
  // A sender that repeats the header has its values joined by commas.
  const given = signatures.split(/,? +/);
  return expected.some((mine) => given.some((theirs) => isEqual(mine, theirs)));
}

async function sign(key: Uint8Array<ArrayBuffer>, bytes: ArrayBuffer): Promise<string> {
  const { subtle } = crypto;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const signature = await subtle.sign("HMAC", imported, bytes);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

/** Takes as long for a signature that is nearly right as for one that is all wrong. */
function isEqual(mine: string, theirs: string): boolean {
  let difference = mine.length ^ theirs.length;
  for (let index = 0; index < mine.length; index++) {
    difference |= mine.charCodeAt(index) ^ theirs.charCodeAt(index);
  }
  return difference === 0;
}
