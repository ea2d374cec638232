import type { AttemptOutcome } from "../../domain/attempt.ts";
import type { SigningSecrets, Target, TargetSettings } from "../../domain/target.ts";

/** A target with opened settings, as the engine needs it to send. */
export interface OpenTarget extends Target {
  readonly settings: TargetSettings;
  /** Null if the kind does not sign. */
  readonly secrets: SigningSecrets | null;
}

/**
 * What a lane waits for:
 *
 * - `resting`: for the agenda to say that something is due.
 * - `ready`: for its turn to claim, among the lanes of its account.
 * - `loading`: for the copy of its target; then it is ready again.
 * - `busy`: for one of its own attempts to end, because the target takes no more at once.
 * - `closed`: for the instant `opensAt`, set by its rate limit, another node or a failed store.
 *
 * A lane may have attempts in flight in each of them. A change of the target makes a busy or closed
 * lane ready.
 */
type Standing = "resting" | "ready" | "loading" | "busy" | "closed";

const highestConcurrency = 1_000;

/** One target as this process serves it: what it waits for, and what is under way. */
export class Lane {
  readonly targetKey: number;
  /** Null until the target is loaded, if its account is not known before. */
  accountId: string | null;
  standing: Standing = "resting";
  /** Only reservations and their slots change it. */
  readonly inFlight: number = 0;
  /** By the monotonic clock: a wall clock that is set back must not keep a lane closed. */
  opensAt = 0;
  /** The target's latest revision that this process has heard of. */
  revision = 0;
  /** How often this process has heard that its target changed. */
  changes = 0;
  /** The loaded copy, until the lane's turn comes. The cache cannot drop it before that. */
  loaded: OpenTarget | undefined;
  /** How many attempts at once the target has lately been able to answer. */
  #trusted = Infinity;

  constructor(targetKey: number, accountId: string | null) {
    this.targetKey = targetKey;
    this.accountId = accountId;
  }

  /** The lane has nothing to do. */
  get isIdle(): boolean {
    return this.standing === "resting" && this.inFlight === 0;
  }

  /** The target did not answer lately. The lane remembers that for a while. */
  get isDistrusted(): boolean {
    return this.#trusted !== Infinity;
  }

  /** How many more attempts the target may have now. */
  roomAt({ maxConcurrency }: OpenTarget): number {
    return Math.max(0, Math.min(maxConcurrency, this.#trusted) - this.inFlight);
  }

  /**
   * A target that does not answer gets fewer attempts, down to one at a time, so that its waiting
   * messages do not use capacity that others need. Each other outcome, also a refused connection, doubles the number again.
   */
  learn(outcome: AttemptOutcome): void {
    if (outcome === "TIMEOUT") {
      this.#trusted = Math.max(1, Math.floor(Math.min(this.#trusted, this.inFlight + 1) / 2));
    } else {
      // Unlimited again once it exceeds what any target may have at once.
      this.#trusted = this.#trusted * 2 > highestConcurrency ? Infinity : this.#trusted * 2;
    }
  }
}
