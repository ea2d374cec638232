import type { AttemptOutcome } from "../domain/attempt.ts";
import type { Instant } from "../domain/message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../domain/rate-limit.ts";
import type { SigningSecrets, Target, TargetSettings } from "../domain/target.ts";

/** A target with its settings in the clear, as the engine needs it to send. */
export interface OpenTarget extends Target {
  readonly settings: TargetSettings[Target["kind"]];
  readonly secrets: SigningSecrets;
}

const highestConcurrency = 1_000;

/** What keeps a target from being asked for more, and when or by what that ends. */
export type Room =
  | { readonly kind: "open"; readonly slots: number }
  /** Until one of its own attempts ends. */
  | { readonly kind: "busy" }
  /** Until its rate allows another. */
  | { readonly kind: "later"; readonly at: Instant }
  /** Until it is resumed. */
  | { readonly kind: "paused" };

/** One target as this process serves it: what it may send now, and what is under way. */
export class Lane {
  readonly targetKey: number;
  inFlight = 0;
  /** Something is due, and an attempt must end before it can be claimed. */
  waiting = false;
  target: OpenTarget | undefined;
  /** How many attempts at once the target has lately shown to bear. */
  #trusted = Infinity;
  #rateFullAt: Instant = 0;

  constructor(targetKey: number) {
    this.targetKey = targetKey;
  }

  /** Nothing would be lost with it: no attempt, no wait, no spent rate, no shaken trust. */
  isIdle(now: Instant): boolean {
    const restored = this.#rateFullAt <= now && this.#trusted === Infinity;
    return this.inFlight === 0 && !this.waiting && restored;
  }

  room(target: OpenTarget, now: Instant): Room {
    if (target.paused) return { kind: "paused" };
    // Written back, so that a bound that was reached stays reached while time goes on.
    if (target.rateLimit !== null) {
      this.#rateFullAt = spendRate(target.rateLimit, this.#rateFullAt, now, 0);
    }
    const slots = Math.min(target.maxConcurrency, this.#trusted) - this.inFlight;
    if (slots <= 0) return { kind: "busy" };
    if (target.rateLimit === null) return { kind: "open", slots };
    const allowed = rateAllowance(target.rateLimit, this.#rateFullAt, now);
    if (allowed > 0) return { kind: "open", slots: Math.min(slots, allowed) };
    return { kind: "later", at: rateOpensAt(target.rateLimit, this.#rateFullAt, now) };
  }

  /**
   * A target that does not answer is asked less, down to one at a time, so that what it has waiting
   * does not sit on places that others need; each answer, of whatever kind, doubles the trust again.
   */
  learn(outcome: AttemptOutcome): void {
    if (outcome === "TIMEOUT") {
      this.#trusted = Math.max(1, Math.floor(Math.min(this.#trusted, this.inFlight + 1) / 2));
    } else {
      // Whole again as soon as it is beyond what any target may have at once.
      this.#trusted = this.#trusted * 2 > highestConcurrency ? Infinity : this.#trusted * 2;
    }
  }

  spend(target: OpenTarget, now: Instant, count: number): void {
    if (target.rateLimit === null) return;
    this.#rateFullAt = spendRate(target.rateLimit, this.#rateFullAt, now, count);
  }
}
