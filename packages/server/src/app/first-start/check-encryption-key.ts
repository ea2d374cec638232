import { defaultAccountId } from "../../domain/access.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import { openSecrets } from "../../targets/sealed-target.ts";

const purpose = "encryption-check";

/** Without this check, a wrong key would show only at the next delivery, as a failure of every target. */
export async function checkEncryptionKey(store: Store, secretBox: SecretBox): Promise<void> {
  const check = await store.encryptionCheck();
  // Older data has no check value. Then a target shows whether the key fits.
  const [target] =
    check === null ? await store.listTargets(defaultAccountId, { after: null, limit: 1 }) : [];
  if (check !== null) refuseUnlessFits(check, secretBox);
  if (target !== undefined) refuseUnlessOpens(() => openSecrets(secretBox, target));
}

/**
 * Stores the value that later starts check their key against. Call it only once the key itself is
 * safely stored: otherwise a lost key would lock everybody out.
 */
export async function keepEncryptionCheck(store: Store, secretBox: SecretBox): Promise<void> {
  const kept = await store.keepEncryptionCheck(secretBox.seal("", purpose));
  // Another node may have stored its check value first, with another key.
  refuseUnlessFits(kept, secretBox);
}

/** Throws unless the check value was sealed with this key. */
export function refuseUnlessFits(check: string, secretBox: SecretBox): void {
  refuseUnlessOpens(() => secretBox.open(check, purpose));
}

function refuseUnlessOpens(open: () => void): void {
  try {
    open();
  } catch (error) {
    throw new Error(
      "The encryption key does not fit the data: secrets were sealed with another one. " +
        "Set POSTDATE_ENCRYPTION_KEY to that key, or restore encryption.key in the data folder.",
      { cause: error },
    );
  }
}
