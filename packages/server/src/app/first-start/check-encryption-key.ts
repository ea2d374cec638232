import { defaultAccountId } from "../../domain/access.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import { openSecrets } from "../../targets/sealed-target.ts";

const purpose = "encryption-check";

/** A wrong key would show only when something is due, and look like every target's own trouble. */
export async function checkEncryptionKey(store: Store, secretBox: SecretBox): Promise<void> {
  const check = await store.encryptionCheck();
  // Data from before there was a check value has its targets to tell by.
  const [target] =
    check === null ? await store.listTargets(defaultAccountId, { after: null, limit: 1 }) : [];
  refuseUnlessFits(() => {
    if (check !== null) secretBox.open(check, purpose);
    if (target !== undefined) openSecrets(secretBox, target);
  });
}

/** Later starts are held against this key. Only once the key itself is safe, or it would lock everybody out. */
export async function keepEncryptionCheck(store: Store, secretBox: SecretBox): Promise<void> {
  const kept = await store.keepEncryptionCheck(secretBox.seal("", purpose));
  // Another node may have been first, with another key.
  refuseUnlessFits(() => secretBox.open(kept, purpose));
}

function refuseUnlessFits(open: () => void): void {
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
