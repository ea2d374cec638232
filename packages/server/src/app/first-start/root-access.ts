import type { Settings } from "../../config/settings.ts";
import { defaultAccountId } from "../../domain/access.ts";
import { auditNote, theService } from "../../operations/audit/audit-note.ts";
import { generateKey, hashKey, rootKeyId } from "../../operations/access/create-key.ts";
import type { GenerateKeyOptions } from "../../operations/access/create-key.ts";
import type { NewAccessKey, Store } from "../../storage/store.ts";
import { removeRootKey, writeRootKey } from "./write-root-key.ts";

/**
 * Makes sure that the default account and its root key exist. The root key is the one that the operator
 * set or, if there is none yet, a generated one. Returns the key only if it was generated just now.
 */
export async function ensureRootAccess(
  store: Store,
  { rootKey: fixedKey, writeRootKey: path }: Pick<Settings, "rootKey" | "writeRootKey">,
  { random, keyMarks }: GenerateKeyOptions,
): Promise<string | null> {
  await store.ensureAccount(defaultAccountId, "default");
  const keys = await store.listKeys(defaultAccountId);
  const hasRoot = keys.some(({ keyId }) => keyId === rootKeyId);
  if (fixedKey === null && hasRoot) return null;
  const key = fixedKey ?? generateKey({ random, keyMarks });
  const known = (await store.findKey(hashKey(key)))?.key;
  if (known?.keyId === rootKeyId && known.accountId === defaultAccountId) return null;
  if (known !== undefined) {
    throw new Error(
      `POSTDATE_ROOT_KEY is the key "${known.name}" (${known.keyId}) of this server. Choose another one.`,
    );
  }
  const root: NewAccessKey = {
    accountId: defaultAccountId,
    keyId: rootKeyId,
    name: "root",
    scopes: ["scheduler.all.readwrite"],
    hash: hashKey(key),
  };
  const note = auditNote(random, theService, {
    action: fixedKey === null ? "key.created" : "key.replaced",
    accountId: defaultAccountId,
    subjectId: rootKeyId,
  });
  if (fixedKey !== null) {
    await store.replaceKey(root, note);
    return null;
  }
  try {
    await createRootKey();
    return key;
  } catch (error) {
    // When nodes start together, one of them makes the key and shows it. The others find it in the
    // store.
    const made = await store.listKeys(defaultAccountId);
    if (made.some(({ keyId }) => keyId === rootKeyId)) return null;
    throw error;
  }

  /** Writes the file first: a key that exists only in the store is lost. */
  async function createRootKey(): Promise<void> {
    if (path !== null) writeRootKey(path, key);
    try {
      const made = await store.createKey(root, note);
      if (made === "too-many") throw new Error("The default account has too many keys.");
    } catch (error) {
      // The store may have made the key although its answer was lost.
      const isMade = (await store.findKey(root.hash))?.key.keyId === rootKeyId;
      if (isMade) return;
      if (path !== null) removeRootKey(path);
      throw error;
    }
  }
}
