import type { Settings } from "../../config/settings.ts";
import { createKeyring } from "../../platform/keyring.ts";
import type { Keyring } from "../../platform/keyring.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import {
  checkEncryptionKey,
  keepEncryptionCheck,
  useEncryptionKey,
} from "./check-encryption-key.ts";
import {
  encryptionKeyLength,
  exchangeEncryptionKey,
  keepEncryptionKey,
  readEncryptionKey,
  readPreviousKeys,
} from "./encryption-key.ts";
import type { ServiceSecrets } from "./service-secrets.ts";

export type KeySettings = Pick<
  Settings,
  "dataDir" | "databaseUrl" | "encryptionKey" | "otherEncryptionKeys"
>;

export interface EncryptionKeys {
  readonly keyring: Keyring;
  readonly secrets: ServiceSecrets;
  /** Makes the next key and seals with it. Null: the operator gives the key. */
  readonly makeKey: (() => Promise<void>) | null;
  /** Tells the store again which key this node seals with. */
  readonly tellStore: () => Promise<void>;
}

interface TakeKeysOptions {
  readonly settings: KeySettings;
  readonly store: Store;
  readonly random: Random;
  readonly nodeId: string;
}

/** The keys that are set, or that are in the folder. A first start makes one. */
export async function takeEncryptionKeys({
  settings,
  store,
  random,
  nodeId,
}: TakeKeysOptions): Promise<EncryptionKeys> {
  const { dataDir, encryptionKey, databaseUrl } = settings;
  const given = givenKeys(settings);
  const keyring = createKeyring({
    current: given.current ?? random.bytes(encryptionKeyLength),
    others: given.others,
    random,
  });
  await checkEncryptionKey(store, keyring);
  if (given.current === undefined) keepEncryptionKey(dataDir, keyring.masterOf(keyring.keyId));
  const secrets = await keepEncryptionCheck(store, keyring);
  keyring.markBy(secrets.mark);
  const tellStore = (): Promise<void> => useEncryptionKey(store, keyring, nodeId);
  await tellStore();

  async function makeKey(): Promise<void> {
    const { keyIds: needed } = await store.encryptionState();
    const { keyId, master } = keyring.add(random.bytes(encryptionKeyLength));
    const previous = new Set([...needed, keyring.keyId]);
    exchangeEncryptionKey(
      dataDir,
      master,
      [...previous].map((each) => keyring.masterOf(each)),
    );
    await useEncryptionKey(store, { keyId, keyIds: keyring.keyIds, firstKeyId: null }, nodeId);
    keyring.use(keyId);
  }

  const isOurs = databaseUrl === null && encryptionKey === null;
  return { keyring, secrets, makeKey: isOurs ? makeKey : null, tellStore };
}

/** Keys in the folder count only while none is set: a key that was set by mistake must not take their place. */
export function givenKeys({
  dataDir,
  encryptionKey,
  otherEncryptionKeys,
}: Omit<KeySettings, "databaseUrl">): {
  readonly current: Uint8Array | undefined;
  readonly others: readonly Uint8Array[];
} {
  if (encryptionKey !== null) return { current: encryptionKey, others: otherEncryptionKeys };
  const others = [...otherEncryptionKeys, ...readPreviousKeys(dataDir)];
  return { current: readEncryptionKey(dataDir), others };
}
