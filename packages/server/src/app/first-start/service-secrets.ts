import type { SealingKey } from "../../platform/secret-box.ts";
import { deriveKey } from "../../platform/secret-box.ts";

/**
 * Secrets that were derived from the first encryption key, and stay when the key is exchanged: what they have marked is
 * compared for years. The marks of API keys tell made-up keys, those of headers a repeated request, page tokens a walk.
 */
export interface ServiceSecrets {
  readonly mark: Uint8Array;
  readonly keyMarks: Uint8Array;
  readonly pageTokens: Uint8Array;
}

/** What the check value holds. Empty until the key was exchanged: then the secrets follow from the key itself. */
export function readServiceSecrets(text: string, key: SealingKey): ServiceSecrets {
  if (text === "") {
    return {
      mark: deriveKey(key.master, "mark"),
      keyMarks: deriveKey(key.master, "key-marks"),
      pageTokens: deriveKey(key.master, "page-tokens"),
    };
  }
  const kept = JSON.parse(text) as Readonly<Record<keyof ServiceSecrets, string>>;
  return {
    mark: Buffer.from(kept.mark, "base64"),
    keyMarks: Buffer.from(kept.keyMarks, "base64"),
    pageTokens: Buffer.from(kept.pageTokens, "base64"),
  };
}

export function serviceSecretsText(secrets: ServiceSecrets): string {
  const texts = Object.entries(secrets).map(([name, secret]: [string, Uint8Array]) => [
    name,
    Buffer.from(secret).toString("base64"),
  ]);
  return JSON.stringify(Object.fromEntries(texts));
}
