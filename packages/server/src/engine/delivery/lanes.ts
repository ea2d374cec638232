import type { EngineBounds } from "./bounds.ts";
import { Lane } from "./lane.ts";

/** The lanes of the targets that this process is busy with, and of those it has learnt to distrust. */
export class Lanes {
  readonly #lanes = new Map<number, Lane>();
  /** Those with nothing to do, the longest idle first. */
  readonly #distrusted = new Set<Lane>();
  readonly #mostDistrusted: number;

  constructor({ mostDistrusted }: Pick<EngineBounds, "mostDistrusted">) {
    this.#mostDistrusted = mostDistrusted;
  }

  get size(): number {
    return this.#lanes.size;
  }

  find(targetKey: number): Lane | undefined {
    return this.#lanes.get(targetKey);
  }

  get(targetKey: number, accountId: string | null): Lane {
    let lane = this.#lanes.get(targetKey);
    if (lane === undefined) {
      lane = new Lane(targetKey, accountId);
      this.#lanes.set(targetKey, lane);
    }
    this.#distrusted.delete(lane);
    return lane;
  }

  /** The lane may have nothing to do any more: then it is dropped, now or when it is old. */
  settle(lane: Lane): void {
    if (!lane.isIdle) return;
    if (!lane.isDistrusted) {
      this.#lanes.delete(lane.targetKey);
      return;
    }
    this.#distrusted.add(lane);
    if (this.#distrusted.size <= this.#mostDistrusted) return;
    for (const oldest of this.#distrusted) {
      this.#distrusted.delete(oldest);
      this.#lanes.delete(oldest.targetKey);
      break;
    }
  }
}
