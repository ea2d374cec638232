import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
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
const version = 1;
const nonceLength = 12;
const tagLength = 16;

export function createSecretBox(masterKey: Uint8Array, random: Random): SecretBox {
  // Node.js takes ten times as long to begin with plain bytes: it makes such an object of them each time.
  const key = createSecretKey(deriveKey(masterKey, "seal"));
  const markKey = deriveKey(masterKey, "mark");
  return {
    seal(text, purpose) {
      const nonce = random.bytes(nonceLength);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body]).toString(
        "base64",
      );
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed, "base64");
      if (bytes[0] !== version) throw new Error("sealed with a format this version does not know");
      const nonce = bytes.subarray(1, 1 + nonceLength);
      const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength);
      const body = bytes.subarray(1 + nonceLength + tagLength);
      const decipher = createDecipheriv(algorithm, key, nonce)
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    },
    mark(text, purpose) {
      return createHmac("sha256", markKey).update(`${purpose}\n${text}`).digest("base64url");
    },
  };
}

/** Derives an independent key for each purpose from the one master key. */
export function deriveKey(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", masterKey, "", `postdate/${purpose}`, 32));
}
