import type { Random } from "./random.ts";
import {
  createSealingKey,
  deriveKey,
  keyIdIn,
  markWith,
  openWith,
  sealWith,
} from "./secret-box.ts";
import type { SealingKey, SecretBox } from "./secret-box.ts";

/**
 * The encryption keys of this process. It seals with one of them, and opens what any of them sealed.
 *
 * Values of the first key of an installation have no key's id: so they are read by versions that know one key, and an
 * installation that never exchanges its key never has another kind.
 */
export interface Keyring extends SecretBox {
  /** The key that seals. */
  readonly keyId: string;
  /** All keys. */
  readonly keyIds: readonly string[];
  /** The key of values without an id; null: there are no such values, or it is not known. */
  readonly firstKeyId: string | null;
  /** Which key sealed it; null: nobody knows. */
  keyIdOf(sealed: string): string | null;
  /** The same as `open`, and the key that opened it. */
  openBy(sealed: string, purpose: string): { readonly text: string; readonly key: SealingKey };
  knowFirst(keyId: string | null): void;
  /** Marks of one secret outlast the keys: they are compared, and cannot be made anew. */
  markBy(secret: Uint8Array): void;
  /** One more that values may be sealed with. */
  add(masterKey: Uint8Array): SealingKey;
  /** Seals with this key from now on. */
  use(keyId: string): void;
  masterOf(keyId: string): Uint8Array;
}

export interface KeyringOptions {
  readonly current: Uint8Array;
  readonly others: readonly Uint8Array[];
  readonly random: Random;
}

export function createKeyring({ current, others, random }: KeyringOptions): Keyring {
  const keys = new Map<string, SealingKey>();
  let sealing = add(current);
  for (const other of others) add(other);
  let firstKeyId: string | null = null;
  let markSecret: Uint8Array = deriveKey(current, "mark");

  function add(masterKey: Uint8Array): SealingKey {
    const key = createSealingKey(masterKey);
    const known = keys.get(key.keyId);
    if (known === undefined) keys.set(key.keyId, key);
    return known ?? key;
  }

  function named(keyId: string): SealingKey {
    const key = keys.get(keyId);
    if (key === undefined) throw new Error(`sealed with the key ${keyId}, which is not at hand`);
    return key;
  }

  function openBy(sealed: string, purpose: string): { text: string; key: SealingKey } {
    const keyId = keyIdIn(sealed) ?? firstKeyId;
    if (keyId !== null) {
      const key = named(keyId);
      return { text: openWith(key, sealed, purpose), key };
    }
    let failure: unknown;
    for (const key of keys.values()) {
      try {
        return { text: openWith(key, sealed, purpose), key };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return {
    get keyId() {
      return sealing.keyId;
    },
    get keyIds() {
      return [...keys.keys()];
    },
    get firstKeyId() {
      return firstKeyId;
    },
    seal: (text, purpose) =>
      sealWith({ key: sealing, named: sealing.keyId !== firstKeyId, random }, text, purpose),
    open: (sealed, purpose) => openBy(sealed, purpose).text,
    openBy,
    mark: (text, purpose) => markWith(markSecret, text, purpose),
    keyIdOf: (sealed) => keyIdIn(sealed) ?? firstKeyId,
    knowFirst: (keyId) => void (firstKeyId = keyId),
    markBy: (secret) => void (markSecret = secret),
    add,
    use: (keyId) => void (sealing = named(keyId)),
    masterOf: (keyId) => named(keyId).master,
  };
}

/** A box with one key, which is the first one. */
export function createSecretBox(masterKey: Uint8Array, random: Random): SecretBox {
  const keyring = createKeyring({ current: masterKey, others: [], random });
  keyring.knowFirst(keyring.keyId);
  return keyring;
}
