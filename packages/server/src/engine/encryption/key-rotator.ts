import type { AuditNote } from "../../domain/audit.ts";
import { freshPass, placeAfter, showsNothingLeft } from "../../domain/key-rotation.ts";
import type { KeyRotation, SealedPlace } from "../../domain/key-rotation.ts";
import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import type { EncryptionStore, RotationStep, SealedSlice } from "../../storage/store.ts";
import { RepeatedLook } from "../../platform/repeated-look.ts";

export interface KeyRotatorOptions {
  readonly store: Pick<EncryptionStore, "encryptionState" | "readSealed" | "advanceRotation">;
  readonly keys: SealingKeys;
  readonly nodeId: string;
  /** Whether this node seals values anew. One that only accepts messages leaves that to others. */
  readonly rewrites: boolean;
  /** `now` is the time of the store. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observer: KeyRotationObserver;
  /** The audit note for the end of an exchange. */
  readonly retiredNote: (rotation: KeyRotation, retired: readonly string[]) => AuditNote;
  /** No change of a row takes longer from its first look at it to its commit. */
  readonly settleMs: number;
}

/** The encryption keys of this process. */
export interface SealingKeys {
  /** The key that seals. */
  readonly keyId: string;
  keyIdOf(sealed: string): string | null;
  /** The same text, sealed with the key that seals now. Throws if no key at hand opens it. */
  sealAnew(place: SealedPlace, sealed: string): string;
  sealCheck(): string;
  /** Tells the store which key this node seals with. */
  tellStore(): Promise<void>;
}

export interface KeyRotationObserver {
  valuesSealedAnew(count: number): void;
  keysRetired(keyIds: readonly string[]): void;
  trouble(error: unknown, doing: string): void;
}

/** How late this node learns of an exchange that another node was asked for, or held when it died. */
const lookEveryMs = 5_000;
const leaseMs = 15_000;
/** How much of a walk without finds is repeated after a crash. */
const saveEveryMs = 4_000;
/** Until the next pass, while other nodes seal with another key or values are held or unreadable. */
const waitMs = 5_000;

/** Where an exchange is, and the revision to go on from. */
interface Place {
  readonly rotation: KeyRotation;
  readonly revision: number;
}

/**
 * Seals every value anew that another key seals than the one of this node, once an operator asks for it. One node does
 * so at a time. If it dies, another goes on: each step is one commit, and exchanges only values that are unchanged.
 */
export class KeyRotator implements RunningPart {
  readonly #options: KeyRotatorOptions;
  readonly #stopping = new AbortController();
  readonly #looks: RepeatedLook;

  constructor(options: KeyRotatorOptions) {
    this.#options = options;
    this.#looks = new RepeatedLook({
      timers: options.timers,
      look: () => this.#look(),
      onFailure: (error) => options.observer.trouble(error, "exchanging the encryption key"),
    });
  }

  async start(): Promise<void> {
    this.#looks.need(0);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looks.stop();
  }

  /** There may be an exchange to work on. */
  noteRotation(): void {
    this.#looks.hasten();
  }

  /** Answers with how long to rest. */
  async #look(): Promise<number> {
    const { store, keys, nodeId, clock, rewrites } = this.#options;
    const { keyIds, nodes, rotation, revision } = await store.encryptionState();
    const isTold = nodes.some((node) => node.nodeId === nodeId && node.keyId === keys.keyId);
    // After a long stop of this process others may have counted it out, and retired its key.
    if (!isTold || !keyIds.includes(keys.keyId)) await keys.tellStore();
    if (!rewrites || rotation === null || rotation.endTime !== null) return lookEveryMs;
    if (rotation.keyId !== keys.keyId) return lookEveryMs;
    if (rotation.holder !== nodeId && rotation.leaseUntil > clock.now()) return lookEveryMs;
    await this.#work({ rotation, revision });
    return lookEveryMs;
  }

  /** Until the exchange is over, or another node has it, or this one stops. */
  async #work(begun: Place): Promise<void> {
    const { clock, timers } = this.#options;
    let at: Place | undefined = begun;
    let savedAt = -Infinity;
    while (at !== undefined && !this.#stopping.signal.aborted) {
      const began = clock.monotonic();
      const isSaveDue = began - savedAt >= saveEveryMs;
      const next: Advanced | undefined = await this.#advance(at, isSaveDue);
      if (next?.isSaved === true) savedAt = began;
      // Half of the store's time is left to others.
      const restMs = clock.monotonic() - began + (next?.restMs ?? 0);
      at = next?.at;
      if (at !== undefined) await pause(timers, restMs, this.#stopping.signal);
    }
  }

  async #advance({ rotation, revision }: Place, isSaveDue: boolean): Promise<Advanced | undefined> {
    const { store, clock } = this.#options;
    const { place } = rotation;
    const slice = await store.readSealed(place, rotation.after);
    const { values, unreadable } = this.#sealAnew(place, slice, rotation.keyId);
    const met = values.length + unreadable;
    const now = clock.now();
    const seen: KeyRotation = {
      ...rotation,
      after: slice.reached,
      met: rotation.met + met,
      unreadable: rotation.unreadable + unreadable,
      settledTime: met > 0 ? now : rotation.settledTime,
    };
    if (met > 0) {
      const rewrite = { place, values };
      if (slice.reached !== null) return this.#save({ rotation: seen, revision }, { rewrite });
      const saved = await this.#save({ rotation: seen, revision }, { rewrite });
      return saved && this.#afterPlace(saved.at);
    }
    if (slice.reached === null) return this.#afterPlace({ rotation: seen, revision });
    if (isSaveDue) return this.#save({ rotation: seen, revision }, {});
    return { at: { rotation: seen, revision }, restMs: 0, isSaved: false };
  }

  #sealAnew(place: SealedPlace, { values }: SealedSlice, keyId: string) {
    const { keys, observer } = this.#options;
    const stale = values.filter(({ sealed }) => keys.keyIdOf(sealed) !== keyId);
    let unreadable = 0;
    const sealed = stale.flatMap((value) => {
      try {
        return [{ ...value, anew: keys.sealAnew(place, value.sealed) }];
      } catch (error) {
        if (++unreadable === 1) observer.trouble(error, `sealing a value anew (${place})`);
        return [];
      }
    });
    return { values: sealed, unreadable };
  }

  #afterPlace({ rotation, revision }: Place): Promise<Advanced | undefined> | Advanced {
    const next = placeAfter(rotation.place);
    if (next === undefined) return this.#afterPass({ rotation, revision });
    const moved = { ...rotation, place: next, after: null };
    return { at: { rotation: moved, revision }, restMs: 0, isSaved: false };
  }

  async #afterPass(at: Place): Promise<Advanced | undefined> {
    const { store, clock, settleMs } = this.#options;
    const { rotation } = at;
    const { keyIds, nodes } = await store.encryptionState();
    const now = clock.now();
    const others = nodes.filter((node) => node.keyId !== rotation.keyId);
    if (others.length === 0 && showsNothingLeft(rotation, settleMs)) {
      return this.#retire(
        at,
        keyIds.filter((keyId) => keyId !== rotation.keyId),
      );
    }
    // It was there until this moment, for all that this node knows.
    const settledTime = rotation.isUnsettled || others.length > 0 ? now : rotation.settledTime;
    const isUnsettled = others.length > 0;
    const hasMoved = rotation.met > rotation.unreadable;
    // A pass that begins before this shows nothing. The lease outlasts the wait.
    const settledMs = Math.min(settledTime + settleMs - now, leaseMs / 2);
    const restMs = hasMoved ? 0 : Math.max(rotation.unreadable > 0 ? waitMs : 0, settledMs, 0);
    const next = { ...rotation, ...freshPass(now + restMs), settledTime, isUnsettled };
    return this.#save({ rotation: next, revision: at.revision }, {}, restMs);
  }

  async #retire(at: Place, retired: readonly string[]): Promise<Advanced | undefined> {
    const { keys, clock, observer, retiredNote } = this.#options;
    const rotation = { ...at.rotation, endTime: clock.now(), holder: null };
    const retire = { check: keys.sealCheck() };
    const note = retiredNote(rotation, retired);
    const step = { revision: at.revision, rotation, rewrite: null, retire, note };
    const ended = await this.#options.store.advanceRotation(step);
    if (ended.kind === "advanced") observer.keysRetired(retired);
    // A node that seals with another key has started at this very moment: the next look goes on.
    return undefined;
  }

  async #save(
    { rotation, revision }: Place,
    change: Partial<RotationStep>,
    restMs = 0,
  ): Promise<Advanced | undefined> {
    const { store, clock, nodeId, observer } = this.#options;
    const held = { ...rotation, holder: nodeId, leaseUntil: clock.now() + leaseMs };
    const step = { revision, rotation: held, rewrite: null, retire: null, note: null, ...change };
    const made = await store.advanceRotation(step);
    if (made.kind !== "advanced") return undefined;
    observer.valuesSealedAnew(made.rewritten);
    const counted = { ...held, rewritten: held.rewritten + made.rewritten };
    return { at: { rotation: counted, revision: revision + 1 }, restMs, isSaved: true };
  }
}

interface Advanced {
  readonly at: Place;
  /** Besides as long as it took. */
  readonly restMs: number;
  readonly isSaved: boolean;
}
