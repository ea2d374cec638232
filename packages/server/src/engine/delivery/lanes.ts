import type { EngineBounds } from "./bounds.ts";
import { Lane } from "./lane.ts";

/** The lanes that this process serves now, and idle lanes whose targets did not answer lately. */
export class Lanes {
  readonly #lanes = new Map<number, Lane>();
  /** Idle lanes, the longest idle first. */
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

  /** Drops the lane if it has nothing to do, now or later. */
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
