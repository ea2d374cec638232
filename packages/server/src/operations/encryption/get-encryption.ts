import type { Operator } from "../../domain/access.ts";
import type { Instant } from "../../domain/instant.ts";
import { sealedPlaces } from "../../domain/key-rotation.ts";
import type { KeyRotation } from "../../domain/key-rotation.ts";
import type { Clock } from "../../platform/clock.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import type { SealingNode, Store } from "../../storage/store.ts";
import type { Asked, RememberedLooks, RunningLook } from "../stats/remembered-looks.ts";
import type { EncryptionControl } from "./encryption-control.ts";

export interface GetEncryptionOptions {
  readonly store: Pick<Store, "encryptionState" | "readSealed" | "clock">;
  readonly encryption: Pick<EncryptionControl, "keyId" | "keyIdOf">;
  readonly looks: RememberedLooks;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

export interface EncryptionView {
  /** The key that the answering node seals with. */
  readonly keyId: string;
  readonly keys: readonly KeyView[];
  /** Whether all values were counted. */
  readonly exact: boolean;
  readonly asOf: Instant;
  readonly nodes: readonly SealingNode[];
  readonly rotation: KeyRotation | null;
}

export interface KeyView {
  readonly keyId: string;
  readonly values: number;
  /** Whether a start without this key is refused. */
  readonly inUse: boolean;
}

interface Counted {
  readonly values: ReadonlyMap<string, number>;
  readonly exact: boolean;
  readonly asOf: Instant;
}

const freshMs = 2_000;
/** No account has this id. */
const ofTheService = "(encryption)";
/** Values of a key that nobody knows. */
const unknownKey = "unknown";

export async function getEncryption(
  options: GetEncryptionOptions,
  _operator: Operator,
): Promise<EncryptionView> {
  const { store, encryption, looks } = options;
  const begin = (asked: Asked) => countValues(options, asked);
  const { values, exact, asOf } = await looks.get(ofTheService, "values", begin);
  const { keyIds, nodes, rotation } = await store.encryptionState();
  const named = new Set([...keyIds, ...values.keys()]);
  const keys = [...named].toSorted().map((keyId) => ({
    keyId,
    values: values.get(keyId) ?? 0,
    inUse: keyIds.includes(keyId),
  }));
  return { keyId: encryption.keyId(), keys, exact, asOf, nodes, rotation };
}

/** Goes through everything that has sealed values, and rests as long as it works. */
function countValues(options: GetEncryptionOptions, asked: Asked): RunningLook<Counted> {
  const { store, encryption, clock, timers } = options;
  const asOf = store.clock.now();
  const values = new Map<string, number>();
  let exact = false;

  async function count(): Promise<void> {
    for (const place of sealedPlaces) {
      let after: string | null = null;
      do {
        if (asked.isForgotten()) return;
        const began = clock.monotonic();
        const slice = await store.readSealed(place, after);
        for (const { sealed } of slice.values) {
          const keyId = encryption.keyIdOf(sealed) ?? unknownKey;
          values.set(keyId, (values.get(keyId) ?? 0) + 1);
        }
        after = slice.reached;
        if (after !== null) await pause(timers, clock.monotonic() - began);
      } while (after !== null);
    }
    exact = true;
  }

  return { ended: count(), view: () => ({ values, exact, asOf }), freshMs: () => freshMs };
}
