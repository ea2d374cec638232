import type { Clock } from "../../../platform/clock.ts";
import type { Claim } from "../../store.ts";

/** A target's unclaimed messages continue after this one. */
export interface BacklogPosition {
  readonly time: number;
  readonly messageId: string;
}

interface Head extends BacklogPosition {
  readonly until: number;
}

/** How long claims skip messages before the position: given back, or scheduled for the past. */
const overlookedMs = 200;

/**
 * Where to continue claiming in a backlog. Messages in flight stand at the head of the index, up to
 * a thousand for a target with such a concurrency, and without a position every claim would read
 * past them.
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

  /** More messages are due than were claimed. The next claim begins after the last one claimed. */
  moveTo({ targetKey, dueAt, messageId }: Claim): void {
    const until = this.#heads.get(targetKey)?.until ?? this.#clock.monotonic() + overlookedMs;
    this.#heads.set(targetKey, { time: dueAt, messageId, until });
  }

  forget(targetKey: number): void {
    this.#heads.delete(targetKey);
  }
}
