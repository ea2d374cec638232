import { defaultAccountId } from "../../domain/access.ts";
import type { Keyring } from "../../platform/keyring.ts";
import { keyIdIn } from "../../platform/secret-box.ts";
import type { KeyUse, Store } from "../../storage/store.ts";
import { openSecrets } from "../../targets/sealed-target.ts";
import { readServiceSecrets, serviceSecretsText } from "./service-secrets.ts";
import type { ServiceSecrets } from "./service-secrets.ts";

const purpose = "encryption-check";

/** Without this check, a wrong key would show only at the next delivery, as a failure of every target. */
export async function checkEncryptionKey(store: Store, keyring: Keyring): Promise<void> {
  const check = await store.encryptionCheck();
  if (check !== null) return void openCheck(check, keyring);
  keyring.knowFirst(keyring.keyId);
  // Older data has no check value. Then a target shows whether the key fits.
  const [target] = await store.listTargets(defaultAccountId, { after: null, limit: 1 });
  if (target !== undefined) refuseUnlessOpens(() => openSecrets(keyring, target), null);
}

/**
 * Stores the value that later starts check their key against. Call it only once the key itself is
 * safely stored: otherwise a lost key would lock everybody out. Answers with what is sealed in it.
 */
export async function keepEncryptionCheck(store: Store, keyring: Keyring): Promise<ServiceSecrets> {
  const kept = await store.keepEncryptionCheck(keyring.seal("", purpose));
  // Another node may have stored its check value first, with another key.
  return openCheck(kept, keyring);
}

/** What takes the place of the check value once no value needs the keys before. */
export function sealCheck(secrets: ServiceSecrets, keyring: Keyring): string {
  return keyring.seal(serviceSecretsText(secrets), purpose);
}

/** Throws unless one of the keys has sealed the check value. From then on the first key is known. */
export function openCheck(check: string, keyring: Keyring): ServiceSecrets {
  const keyId = keyIdIn(check);
  if (keyId !== null) keyring.knowFirst(null);
  const { text, key } = refuseUnlessOpens(() => keyring.openBy(check, purpose), keyId);
  if (keyId === null) keyring.knowFirst(key.keyId);
  return readServiceSecrets(text, key);
}

/** Throws unless every key that values are sealed with is at hand. */
export function refuseMissingKeys(needed: readonly string[], keyring: Keyring): void {
  const missing = needed.filter((keyId) => !keyring.keyIds.includes(keyId));
  if (missing.length > 0) throw new Error(missingText(missing));
}

/** Says that this node seals with its key, before the first value of that key is stored. */
export async function useEncryptionKey(
  store: Pick<Store, "useEncryptionKey">,
  { keyId, keyIds, firstKeyId }: Pick<Keyring, "keyId" | "keyIds" | "firstKeyId">,
  nodeId: string,
): Promise<void> {
  const use = await store.useEncryptionKey({ nodeId, keyId, readable: keyIds, firstKeyId });
  if (use.kind !== "used") throw new Error(refusalText(use, keyId));
}

function refusalText(use: Exclude<KeyUse, { kind: "used" }>, keyId: string): string {
  if (use.kind === "missing-keys") return missingText(use.keyIds);
  return (
    `Nothing may be sealed with the encryption key ${keyId} yet, because ${use.nodeIds.join(", ")} could not read it. ` +
    "Add the key to POSTDATE_ENCRYPTION_OTHER_KEYS on every node first, and restart them one by one."
  );
}

function missingText(keyIds: readonly string[]): string {
  return (
    `Values are sealed with the encryption key ${keyIds.join(" and ")}, which is not at hand. ` +
    "Add it to POSTDATE_ENCRYPTION_OTHER_KEYS until `postdate encryption status` says that nothing needs it."
  );
}

function refuseUnlessOpens<Opened>(open: () => Opened, keyId: string | null): Opened {
  try {
    return open();
  } catch (error) {
    const which = keyId === null ? "" : ` (${keyId})`;
    throw new Error(
      `The encryption key does not fit the data: secrets were sealed with another one${which}. ` +
        "Set POSTDATE_ENCRYPTION_KEY to that key, or restore encryption.key in the data folder.",
      { cause: error },
    );
  }
}
