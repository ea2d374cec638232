import { exportJWK, generateKeyPair, importJWK } from "jose";
import type { CryptoKey } from "jose";
import { encodeBase32 } from "../../platform/base32.ts";
import type { Random } from "../../platform/random.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { KeptSigningKey } from "../../storage/store.ts";
import type { PublicKey } from "../access-tokens.ts";

/** The only algorithm that signs our tokens, and the only one that is accepted for them. */
export const signingAlgorithm = "ES256";

const purpose = "signing-key";

/** Makes a new key as it is stored, with its private half sealed. */
export async function makeSigningKey(
  secretBox: SecretBox,
  random: Random,
): Promise<Omit<KeptSigningKey, "creationTime">> {
  const { privateKey, publicKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const keyId = `sig_${encodeBase32(random.bytes(13)).slice(-20)}`;
  const { kty, crv, x, y } = await exportJWK(publicKey);
  return {
    keyId,
    publicKey: JSON.stringify({ kty, crv, x, y, kid: keyId, alg: signingAlgorithm, use: "sig" }),
    sealedPrivateKey: secretBox.seal(JSON.stringify(await exportJWK(privateKey)), purpose),
  };
}

export function publicKeyOf({ publicKey }: Pick<KeptSigningKey, "publicKey">): PublicKey {
  return JSON.parse(publicKey) as PublicKey;
}

export function importPublicKey(key: Pick<KeptSigningKey, "publicKey">): Promise<CryptoKey> {
  return importJWK({ ...publicKeyOf(key), kty: "EC" }, signingAlgorithm);
}

export function openPrivateKey(
  secretBox: SecretBox,
  { sealedPrivateKey }: Pick<KeptSigningKey, "sealedPrivateKey">,
): Promise<CryptoKey> {
  const jwk = JSON.parse(secretBox.open(sealedPrivateKey, purpose)) as Omit<PublicKey, "kid">;
  return importJWK({ ...jwk, kty: "EC" }, signingAlgorithm);
}

/** The same private key, sealed with the encryption key that seals now. */
export const resealPrivateKey = (box: SecretBox, sealed: string): string =>
  box.seal(box.open(sealed, purpose), purpose);
