import type { Clock } from "../../../platform/clock.ts";

/** A batch that has been committed, and whose answers have left. */
export interface EndedBatch {
  /** How many of its calls are answered. The others wait for an attempt. */
  readonly answered: number;
  /** How long the disk took. 0: the batch wrote nothing. */
  readonly commitMs: number;
}

/** A quicker disk is ready again before the callers are. */
const slowCommitMs = 2;
/** The part of a commit's time that the next batch waits for callers, and its bound. */
const waitShare = 0.5;
const longestWaitMs = 5;
/** With fewer callers coming back, the others would wait for nothing. */
const worthWaiting = 0.7;
/** How much the latest batch counts. */
const weightOfLatest = 0.25;

/**
 * Most callers ask again when they have their answer. On a slow disk, a batch that leaves before they are back
 * makes two groups of callers that wait for each other's commits, and each commit carries only half of them. So
 * the next batch waits a part of a commit's time for them, as long as enough of them do come back.
 */
export class ReturningCallers {
  readonly #clock: Pick<Clock, "monotonic">;
  /** The share of answered calls after which another came in time. */
  #share = 0;
  #expected = 0;
  #returned = 0;
  #until = -Infinity;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Returns how long the next batch should wait for them; 0: not at all. */
  batchEnded({ answered, commitMs }: EndedBatch): number {
    this.#learn();
    const waitMs = Math.min(longestWaitMs, commitMs * waitShare);
    this.#expected = commitMs < slowCommitMs ? 0 : answered;
    this.#returned = 0;
    this.#until = this.#clock.monotonic() + waitMs;
    return this.#expected > 0 && this.#share >= worthWaiting ? waitMs : 0;
  }

  /** A call has come. */
  called(): void {
    if (this.#returned < this.#expected && this.#clock.monotonic() <= this.#until) this.#returned++;
  }

  get allBack(): boolean {
    return this.#returned >= this.#expected;
  }

  #learn(): void {
    if (this.#expected === 0) return;
    const share = this.#returned / this.#expected;
    this.#share += weightOfLatest * (share - this.#share);
  }
}
