import type { CryptoKey } from "jose";
import { planSigningKeys } from "../../domain/signing-keys.ts";
import type { SigningKeyPlan, SigningKeyTimes } from "../../domain/signing-keys.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Timers } from "../../platform/timers.ts";
import type { KeptSigningKey, Store } from "../../storage/store.ts";
import type { NoteOf } from "../access-tokens.ts";
import { createRememberedRead } from "../../platform/remembered-read.ts";
import { importPublicKey, makeSigningKey, openPrivateKey } from "./signing-key-pair.ts";

export interface KeyRingOptions {
  readonly store: Pick<Store, "listSigningKeys" | "addSigningKey" | "removeSigningKey">;
  readonly secretBox: SecretBox;
  readonly random: Random;
  /** `now` is the time of the store. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly times: SigningKeyTimes;
  /** How long keys are used without reading them again. Another node may have removed one. */
  readonly rememberMs: number;
  /** Makes the notes for what the ring does by itself. */
  readonly noteOf: NoteOf;
}

type Plan = SigningKeyPlan<KeptSigningKey>;

/**
 * The keys that sign our tokens. The first key is made when it is first needed. After that, each use of
 * the ring, on any node, also adds and removes keys when that is due.
 */
export interface KeyRing {
  /** Makes a new key if one is due. */
  signer(): Promise<{ readonly keyId: string; readonly privateKey: CryptoKey }>;
  /** Undefined if no node has made such a key. */
  find(keyId: string): Promise<CryptoKey | undefined>;
  plan(): Promise<Plan>;
  rotate(removeOld: boolean, noteOf: NoteOf): Promise<Plan>;
}

/** Invented key ids cause at most one read in this time, and make only a few requests wait for it. */
const spacingMs = 250;
const mostWaiting = 32;

export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { store, secretBox, random, clock, timers, times, rememberMs } = options;
  const reads = createRememberedRead({
    read: () => store.listSigningKeys(),
    clock,
    timers,
    freshMs: rememberMs,
    usableMs: rememberMs,
    spacingMs,
    mostWaiting,
  });
  const publicKeys = rememberImports(importPublicKey);
  const privateKeys = rememberImports((key) => openPrivateKey(secretBox, key));

  const planOf = (keys: readonly KeptSigningKey[]): Plan =>
    planSigningKeys(keys, clock.now(), times);

  const add = async (plan: Plan, noteOf: NoteOf): Promise<boolean> => {
    const key = await makeSigningKey(secretBox, random);
    const newest = plan.keys.at(-1)?.keyId ?? null;
    const added = await store.addSigningKey(key, newest, noteOf("signing-key.created", key.keyId));
    reads.forget();
    return added;
  };

  const remove = async (keys: readonly KeptSigningKey[], noteOf: NoteOf): Promise<void> => {
    try {
      for (const { keyId } of keys) {
        await store.removeSigningKey(keyId, noteOf("signing-key.removed", keyId));
      }
    } finally {
      reads.forget();
    }
  };

  const renewKeysOnce = async (): Promise<Plan> => {
    let plan = planOf(await reads.get());
    if (plan.newKeyDue) {
      // This node or another one has added a key. Either is fine.
      do {
        await add(plan, options.noteOf);
        plan = planOf(await reads.get());
      } while (plan.signer === undefined);
    }
    if (plan.retired.length === 0) return plan;
    await remove(plan.retired, options.noteOf);
    return planOf(await reads.get());
  };

  let renewing: Promise<Plan> | undefined;
  const renewKeys = (): Promise<Plan> =>
    (renewing ??= renewKeysOnce().finally(() => (renewing = undefined)));

  return {
    async signer() {
      const signer = (await renewKeys()).signer!;
      return { keyId: signer.keyId, privateKey: await privateKeys(signer) };
    },
    async find(keyId) {
      const isIt = (key: KeptSigningKey): boolean => key.keyId === keyId;
      const key = (await reads.get()).find(isIt) ?? (await reads.getNewer()).find(isIt);
      return key && publicKeys(key);
    },
    async plan() {
      // Anybody may ask for the published keys. That must not create the first key.
      const plan = planOf(await reads.get());
      return plan.signer === undefined ? plan : renewKeys();
    },
    async rotate(removeOld, noteOf) {
      let before: Plan;
      do {
        reads.forget();
        before = planOf(await reads.get());
      } while (!(await add(before, noteOf)));
      // Removes only the keys that existed before. A concurrent rotation keeps its new key.
      if (removeOld) await remove(before.keys, noteOf);
      return planOf(await reads.get());
    },
  };
}

type Import = (key: KeptSigningKey) => Promise<CryptoKey>;

/** Keys are few and change rarely. An import costs as much as a signature. */
function rememberImports(importKey: Import, most = 20): Import {
  const imported = new Map<string, Promise<CryptoKey>>();
  return (key) => {
    const known = imported.get(key.keyId);
    if (known !== undefined) return known;
    if (imported.size >= most) imported.delete(imported.keys().next().value!);
    const importing = importKey(key);
    imported.set(key.keyId, importing);
    return importing;
  };
}
