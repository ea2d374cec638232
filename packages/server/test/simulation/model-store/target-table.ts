import type { Instant } from "../../../src/domain/message.ts";
import type { FullAt } from "../../../src/domain/rate-limit.ts";
import type { Target } from "../../../src/domain/target.ts";
import type { TargetRef } from "../../../src/storage/store.ts";

export interface KeptTarget {
  target: Target;
  /** A removed target keeps its key and its remaining messages. */
  removalTime: Instant | null;
  fullAt: FullAt;
}

export class TargetTable {
  readonly #byKey = new Map<number, KeptTarget>();
  readonly #byId = new Map<string, KeptTarget>();

  /** Finds removed targets too. */
  find(ref: TargetRef): KeptTarget | undefined {
    return this.#byId.get(JSON.stringify([ref.accountId, ref.targetId]));
  }

  live(ref: TargetRef): KeptTarget | undefined {
    return unlessRemoved(this.find(ref));
  }

  get(targetKey: number): KeptTarget | undefined {
    return this.#byKey.get(targetKey);
  }

  liveByKey(targetKey: number): KeptTarget | undefined {
    return unlessRemoved(this.#byKey.get(targetKey));
  }

  /** The targets with a higher key, in order. Keys have no gaps, because no target is forgotten. */
  *liveBehind(targetKey: number): Generator<KeptTarget> {
    for (let key = targetKey + 1; key <= this.#byKey.size; key++) {
      const kept = this.liveByKey(key);
      if (kept !== undefined) yield kept;
    }
  }

  ofAccount(accountId: string): KeptTarget[] {
    return [...this.#byKey.values()].filter(({ target }) => target.accountId === accountId);
  }

  add(target: Omit<Target, "targetKey">): Target {
    const made = { ...target, targetKey: this.#byKey.size + 1 };
    const kept: KeptTarget = { target: made, removalTime: null, fullAt: 0 };
    this.#byKey.set(made.targetKey, kept);
    this.#byId.set(JSON.stringify([made.accountId, made.targetId]), kept);
    return made;
  }

  /** Removes everything that was sealed. */
  remove(kept: KeptTarget, now: Instant): void {
    const { target } = kept;
    kept.removalTime = now;
    kept.target = {
      ...target,
      sealedSettings: "",
      sealedSecrets: "",
      revision: target.revision + 1,
    };
  }
}

function unlessRemoved(kept: KeptTarget | undefined): KeptTarget | undefined {
  return kept?.removalTime === null ? kept : undefined;
}
