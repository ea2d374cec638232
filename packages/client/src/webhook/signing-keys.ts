import { VerificationError } from "./verification-error.ts";

/** One secret, or several while it rotates. Entries of a list that are empty or undefined do not count. */
export type SecretChoice = string | undefined | readonly (string | undefined)[];

const prefix = "whsec_";
/** Standard Webhooks asks for as many bytes. A shorter key can be guessed. */
const shortestKey = 24;

/** The keys of the secrets. Throws if there is none: an empty key would let everybody sign. */
export function signingKeysOf(secret: SecretChoice): Uint8Array<ArrayBuffer>[] {
  const secrets = [secret].flat().filter((each) => each !== undefined && each !== "");
  if (secrets.length === 0) {
    throw badSecret("There is no signing secret. Is the variable that holds it set?");
  }
  return secrets.map((each) => keyOf(String(each).trim()));
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  let key: Uint8Array<ArrayBuffer>;
  try {
    key = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    // Neither the secret nor a part of it belongs in a message that ends up in logs.
    throw badSecret("A signing secret is whsec_ and base64. This one is not.");
  }
  if (key.length >= shortestKey) return key;
  throw badSecret(`A signing secret has ${shortestKey} bytes or more. This one has ${key.length}.`);
}

function badSecret(what: string): VerificationError {
  return new VerificationError(
    "bad-secret",
    `${what} Postdate shows a target's secret when the target is made and when the secret rotates.`,
  );
}
