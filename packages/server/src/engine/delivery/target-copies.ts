import type { Target } from "../../domain/target.ts";
import type { TargetStore } from "../../storage/store.ts";
import type { EngineBounds } from "./bounds.ts";
import type { OpenTarget } from "./lane.ts";

export interface TargetCopiesOptions {
  readonly store: Pick<TargetStore, "getTargetByKey">;
  readonly openTarget: (target: Target) => OpenTarget;
  readonly bounds: Pick<EngineBounds, "mostCopies" | "mostSealedCharacters">;
}

interface Load {
  /** The target changed during the read. */
  isOld: boolean;
  readonly copy: Promise<OpenTarget | undefined>;
}

/**
 * After this many reads a target that keeps changing is used as it was last read. The claim tells its
 * revision.
 */
const mostReads = 5;

/**
 * Copies of targets, opened and ready to send to. This is only a cache. The lanes keep what is in
 * flight, due or loading, so dropping a copy costs one more read and loses nothing.
 */
export class TargetCopies {
  readonly #options: TargetCopiesOptions;
  /** The least recently used first. */
  readonly #copies = new Map<number, OpenTarget>();
  #sealedCharacters = 0;
  readonly #loads = new Map<number, Load>();

  constructor(options: TargetCopiesOptions) {
    this.#options = options;
  }

  get(targetKey: number): OpenTarget | undefined {
    const copy = this.#copies.get(targetKey);
    if (copy === undefined) return undefined;
    this.#copies.delete(targetKey);
    this.#copies.set(targetKey, copy);
    return copy;
  }

  forget(targetKey: number): void {
    this.#drop(targetKey);
    const load = this.#loads.get(targetKey);
    if (load !== undefined) load.isOld = true;
  }

  forgetOlderThan(revision: number, targetKey: number): void {
    const copy = this.#copies.get(targetKey);
    if (copy === undefined || copy.revision < revision) this.forget(targetKey);
  }

  /** The target as it is in the store now; undefined: it does not exist any more. */
  load(targetKey: number): Promise<OpenTarget | undefined> {
    const underWay = this.#loads.get(targetKey);
    if (underWay !== undefined) return underWay.copy;
    // The read begins after the load is registered, so that a change of the target finds the load.
    const copy = Promise.resolve().then(() => this.#read(targetKey));
    this.#loads.set(targetKey, { isOld: false, copy });
    return copy;
  }

  async #read(targetKey: number): Promise<OpenTarget | undefined> {
    const load = this.#loads.get(targetKey)!;
    try {
      for (let reads = 1; ; reads++) {
        load.isOld = false;
        const target = await this.#options.store.getTargetByKey(targetKey);
        if (load.isOld && reads < mostReads) continue;
        if (target === undefined) return undefined;
        const copy = this.#options.openTarget(target);
        if (!load.isOld) this.#keep(copy);
        return copy;
      }
    } finally {
      this.#loads.delete(targetKey);
    }
  }

  #keep(copy: OpenTarget): void {
    this.#drop(copy.targetKey);
    this.#copies.set(copy.targetKey, copy);
    this.#sealedCharacters += sealedCharactersOf(copy);
    for (const targetKey of this.#copies.keys()) {
      if (!this.#isOverfull() || targetKey === copy.targetKey) return;
      this.#drop(targetKey);
    }
  }

  #drop(targetKey: number): void {
    const copy = this.#copies.get(targetKey);
    if (copy === undefined) return;
    this.#copies.delete(targetKey);
    this.#sealedCharacters -= sealedCharactersOf(copy);
  }

  #isOverfull(): boolean {
    const { mostCopies, mostSealedCharacters } = this.#options.bounds;
    return this.#copies.size > mostCopies || this.#sealedCharacters > mostSealedCharacters;
  }
}

function sealedCharactersOf({ sealedSettings, sealedSecrets }: OpenTarget): number {
  return sealedSettings.length + sealedSecrets.length;
}
