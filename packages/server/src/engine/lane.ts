import type { Instant } from "../domain/message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../domain/rate-limit.ts";
import type { SigningSecrets, Target, TargetSettings } from "../domain/target.ts";

/** A target with its settings in the clear, as the engine needs it to send. */
export interface OpenTarget extends Target {
  readonly settings: TargetSettings[Target["kind"]];
  readonly secrets: SigningSecrets;
}

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
  #rateFullAt: Instant = 0;

  constructor(targetKey: number) {
    this.targetKey = targetKey;
  }

  get idle(): boolean {
    return this.inFlight === 0 && !this.waiting;
  }

  room(target: OpenTarget, now: Instant): Room {
    if (target.paused) return { kind: "paused" };
    const slots = target.maxConcurrency - this.inFlight;
    if (slots <= 0) return { kind: "busy" };
    if (target.rateLimit === null) return { kind: "open", slots };
    const allowed = rateAllowance(target.rateLimit, this.#rateFullAt, now);
    if (allowed > 0) return { kind: "open", slots: Math.min(slots, allowed) };
    return { kind: "later", at: rateOpensAt(target.rateLimit, this.#rateFullAt) };
  }

  spend(target: OpenTarget, now: Instant, count: number): void {
    if (target.rateLimit === null) return;
    this.#rateFullAt = spendRate(target.rateLimit, this.#rateFullAt, now, count);
  }
}
