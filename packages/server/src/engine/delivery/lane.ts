import type { AttemptOutcome } from "../../domain/attempt.ts";
import type { SigningSecrets, Target, TargetSettings } from "../../domain/target.ts";

/** A target with its settings in the clear, as the engine needs it to send. */
export interface OpenTarget extends Target {
  readonly settings: TargetSettings;
  /** Null where the kind does not sign. */
  readonly secrets: SigningSecrets | null;
}

/**
 * What a lane waits for:
 *
 * - `resting`: for the agenda to say that something is due.
 * - `ready`: for its turn to claim, among the lanes of its account.
 * - `loading`: for the copy of its target; then it is ready again.
 * - `busy`: for one of its own attempts to end, since the target bears no more at once.
 * - `closed`: for the instant `opensAt`, set by its rate limit, another node or a store that failed.
 *
 * Attempts may be in flight in each of them. A change of the target makes a busy or closed lane ready.
 */
type Standing = "resting" | "ready" | "loading" | "busy" | "closed";

const highestConcurrency = 1_000;

/** One target as this process serves it: what it waits for, and what is under way. */
export class Lane {
  readonly targetKey: number;
  /** Null until the target is loaded, where nobody said whose it is. */
  accountId: string | null;
  standing: Standing = "resting";
  /** Capacity counts it, and nobody else. */
  readonly inFlight: number = 0;
  /** By the monotonic clock: a wall clock that steps back must not keep a lane closed. */
  opensAt = 0;
  /** The target's latest revision that this process has heard of. */
  revision = 0;
  /** The copy that it was loading for, until its turn comes: no cache can drop it before that. */
  loaded: OpenTarget | undefined;
  /** How many attempts at once the target has lately shown to bear. */
  #trusted = Infinity;

  constructor(targetKey: number, accountId: string | null) {
    this.targetKey = targetKey;
    this.accountId = accountId;
  }

  /** The lane has nothing to do. */
  get isIdle(): boolean {
    return this.standing === "resting" && this.inFlight === 0;
  }

  /** The target did not answer lately, which is worth remembering for a while. */
  get isDistrusted(): boolean {
    return this.#trusted !== Infinity;
  }

  /** How many more attempts the target bears now. */
  roomAt({ maxConcurrency }: OpenTarget): number {
    return Math.max(0, Math.min(maxConcurrency, this.#trusted) - this.inFlight);
  }

  /**
   * A target that does not answer is asked less, down to one at a time, so that what it has waiting
   * does not use capacity that others need. Each answer, of any kind, doubles the trust again.
   */
  learn(outcome: AttemptOutcome): void {
    if (outcome === "TIMEOUT") {
      this.#trusted = Math.max(1, Math.floor(Math.min(this.#trusted, this.inFlight + 1) / 2));
    } else {
      // Whole again as soon as it is beyond what any target may have at once.
      this.#trusted = this.#trusted * 2 > highestConcurrency ? Infinity : this.#trusted * 2;
    }
  }
}
