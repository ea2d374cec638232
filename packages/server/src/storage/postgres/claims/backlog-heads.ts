import type { Clock } from "../../../platform/clock.ts";
import type { Claim } from "../../store.ts";

/** Behind this message a target's unclaimed ones go on. */
export interface BacklogPosition {
  readonly time: number;
  readonly messageId: string;
}

interface Head extends BacklogPosition {
  readonly until: number;
}

/** Whatever stands before the position, given back or scheduled for the past, is overlooked for so long. */
const overlookedMs = 200;

/**
 * Where to go on claiming in a backlog. What is in flight stands at its head, up to a thousand messages
 * for a target that allows so many, and every claim would have to pass them by.
 */
export class BacklogHeads {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #heads = new Map<number, Head>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  of(targetKey: number): BacklogPosition | undefined {
    const head = this.#heads.get(targetKey);
    if (head === undefined || head.until > this.#clock.monotonic()) return head;
    this.#heads.delete(targetKey);
    return undefined;
  }

  /** More is due than was claimed: it begins behind the last one. */
  moveTo({ targetKey, dueAt, messageId }: Claim): void {
    const until = this.#heads.get(targetKey)?.until ?? this.#clock.monotonic() + overlookedMs;
    this.#heads.set(targetKey, { time: dueAt, messageId, until });
  }

  forget(targetKey: number): void {
    this.#heads.delete(targetKey);
  }
}
