import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { Random } from "./random.ts";

/** Seals text with AES-256-GCM. Text that is sealed for one purpose does not open for another. */
export interface SecretBox {
  seal(text: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
  /** The same for the same text, and nobody without the key can tell which text by trying. */
  mark(text: string, purpose: string): string;
}

const algorithm = "aes-256-gcm";
/** Sealed values begin with one of these. Values of the first version do not say which key sealed them. */
const withoutKeyId = 1;
const withKeyId = 2;
const keyIdLength = 6;
const nonceLength = 12;
const tagLength = 16;

/** An encryption key, ready for use. */
export interface SealingKey {
  /** Follows from the key, and tells nothing about it. */
  readonly keyId: string;
  readonly master: Uint8Array;
  /** Node.js takes ten times as long to begin with plain bytes: it makes such an object of them each time. */
  readonly cipherKey: KeyObject;
}

export function createSealingKey(master: Uint8Array): SealingKey {
  const id = deriveKey(master, "key-id").subarray(0, keyIdLength);
  return {
    keyId: `key_${id.toString("hex")}`,
    master,
    cipherKey: createSecretKey(deriveKey(master, "seal")),
  };
}

export interface SealWith {
  readonly key: SealingKey;
  /** Whether the value says which key sealed it. */
  readonly named: boolean;
  readonly random: Random;
}

export function sealWith({ key, named, random }: SealWith, text: string, purpose: string): string {
  const nonce = random.bytes(nonceLength);
  const cipher = createCipheriv(algorithm, key.cipherKey, nonce).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const head = named
    ? Buffer.concat([Buffer.of(withKeyId), Buffer.from(key.keyId.slice(4), "hex")])
    : Buffer.of(withoutKeyId);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), body]).toString("base64");
}

/** Throws if another key sealed it, if it was sealed for another purpose, or if it was changed. */
export function openWith({ cipherKey }: SealingKey, sealed: string, purpose: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const head = bytes[0] === withKeyId ? 1 + keyIdLength : 1;
  const nonce = bytes.subarray(head, head + nonceLength);
  const tag = bytes.subarray(head + nonceLength, head + nonceLength + tagLength);
  const body = bytes.subarray(head + nonceLength + tagLength);
  const decipher = createDecipheriv(algorithm, cipherKey, nonce)
    .setAAD(Buffer.from(purpose))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
}

/** The id of the key that sealed it; null: it does not say. */
export function keyIdIn(sealed: string): string | null {
  // The head is nine bytes at most, and four characters are three bytes.
  const head = Buffer.from(sealed.slice(0, 12), "base64");
  if (head[0] === withoutKeyId) return null;
  if (head[0] !== withKeyId) throw new Error("sealed with a format this version does not know");
  return `key_${head.subarray(1, 1 + keyIdLength).toString("hex")}`;
}

export function markWith(secret: Uint8Array, text: string, purpose: string): string {
  return createHmac("sha256", secret).update(`${purpose}\n${text}`).digest("base64url");
}

/** Derives an independent key for each purpose from the one master key. */
export function deriveKey(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "", `postdate/${purpose}`, 32));
}
