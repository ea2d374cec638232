import type { Settings } from "../../config/settings.ts";
import { defaultAccountId } from "../../domain/access.ts";
import { auditNote, theService } from "../../operations/audit/audit-note.ts";
import { generateKey, hashKey, rootKeyId } from "../../operations/access/create-key.ts";
import type { GenerateKeyOptions } from "../../operations/access/create-key.ts";
import type { NewAccessKey, Store } from "../../storage/store.ts";
import { removeRootKey, writeRootKey } from "./write-root-key.ts";

/**
 * Sees to the default account and its root key: the one that the operator fixed or, where there is
 * none yet, a generated one. Answers with the key only if it was generated just now.
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
    // Of nodes that start together one makes the key and shows it; the others find it made.
    const made = await store.listKeys(defaultAccountId);
    if (made.some(({ keyId }) => keyId === rootKeyId)) return null;
    throw error;
  }

  /** First the file: a key that is in the store and nowhere else is lost. */
  async function createRootKey(): Promise<void> {
    if (path !== null) writeRootKey(path, key);
    try {
      const made = await store.createKey(root, note);
      if (made === "too-many") throw new Error("The default account has too many keys.");
    } catch (error) {
      // The answer may be lost and the key made all the same.
      const isMade = (await store.findKey(root.hash))?.key.keyId === rootKeyId;
      if (isMade) return;
      if (path !== null) removeRootKey(path);
      throw error;
    }
  }
}
