import { createHmac, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";

/** Makes the signature of a token from its first two parts. */
export type Signer = (content: string) => Uint8Array;

/** A JWT of any parts, including those that no library would make. Texts and bytes are used unchanged. */
export function forgeToken(header: unknown, claims: unknown, signer: Signer): string {
  const content = `${encodePart(header)}.${encodePart(claims)}`;
  return `${content}.${Buffer.from(signer(content)).toString("base64url")}`;
}

export function encodePart(part: unknown): string {
  const asIs = typeof part === "string" || part instanceof Uint8Array;
  return Buffer.from(asIs ? (part as string) : JSON.stringify(part)).toString("base64url");
}

export const unsigned: Signer = () => Buffer.alloc(0);

export function ecdsa(key: KeyObject, digest = "sha256"): Signer {
  return (content) => sign(digest, Buffer.from(content), { key, dsaEncoding: "ieee-p1363" });
}

export function plainSignature(key: KeyObject, digest: string | null): Signer {
  return (content) => sign(digest, Buffer.from(content), key);
}

export function hmac(secret: string | Uint8Array, digest = "sha256"): Signer {
  return (content) => createHmac(digest, secret).update(content).digest();
}
