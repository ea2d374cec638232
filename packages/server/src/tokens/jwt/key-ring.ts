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
  /** `now` is the store's. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly times: SigningKeyTimes;
  /** For how long the kept keys are relied on without a look: others may have removed one. */
  readonly rememberMs: number;
  /** For what the ring does by itself. */
  readonly noteOf: NoteOf;
}

type Plan = SigningKeyPlan<KeptSigningKey>;

/**
 * The keys that our tokens are signed with. None is made before the first is needed; from then on the
 * ring looks after itself whenever it is used, on whichever node.
 */
export interface KeyRing {
  /** Makes a key where one is due. */
  signer(): Promise<{ readonly keyId: string; readonly privateKey: CryptoKey }>;
  /** Undefined where there is no such key, anywhere. */
  find(keyId: string): Promise<CryptoKey | undefined>;
  plan(): Promise<Plan>;
  rotate(removeOld: boolean, noteOf: NoteOf): Promise<Plan>;
}

/** Made-up key ids cost a reading each so often, and hold a few requests until then, and no more. */
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
      // Whether it was this node or another that added one: there is one then.
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
      // Anybody may ask for the keys: that alone makes none where there are none.
      const plan = planOf(await reads.get());
      return plan.signer === undefined ? plan : renewKeys();
    },
    async rotate(removeOld, noteOf) {
      let before: Plan;
      do {
        reads.forget();
        before = planOf(await reads.get());
      } while (!(await add(before, noteOf)));
      // Those alone that were there before: whoever rotates at the same moment keeps theirs.
      if (removeOld) await remove(before.keys, noteOf);
      return planOf(await reads.get());
    },
  };
}

type Import = (key: KeptSigningKey) => Promise<CryptoKey>;

/** Keys are few and change rarely; an import costs as much as a signature. */
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
