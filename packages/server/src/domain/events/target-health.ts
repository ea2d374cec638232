import type { AttemptOutcome } from "../attempt.ts";
import type { FailingAfter } from "../failing-after.ts";
import type { Instant } from "../instant.ts";
import type { EventType } from "./event-types.ts";

/** How the latest attempts at a target went. */
export interface TargetHealth {
  readonly failedAttempts: number;
  /** When the first of them ended; null: the latest attempt succeeded, or there was none. */
  readonly since: Instant | null;
  /** `target.failing` was told, and no attempt has succeeded since then. */
  readonly isFailing: boolean;
}

export const unknownHealth: TargetHealth = { failedAttempts: 0, since: null, isFailing: false };

export interface HealthStep {
  readonly health: TargetHealth;
  readonly event: {
    readonly type: Extract<EventType, "target.failing" | "target.recovered">;
    readonly failedAttempts: number;
    readonly since: Instant;
  } | null;
}

/** What an attempt says about its target. Null: nothing, because our own server has ended it. */
export function isSuccessful(outcome: AttemptOutcome): boolean | null {
  return outcome === "INTERRUPTED" ? null : outcome === "DELIVERED";
}

/** The health after one more attempt that says something about the target. The store records it at `now`. */
export function afterAttempt(
  health: TargetHealth,
  isSuccess: boolean,
  now: Instant,
  failingAfter: FailingAfter,
): HealthStep {
  if (isSuccess) {
    const { isFailing, failedAttempts, since } = health;
    const event = isFailing
      ? ({ type: "target.recovered", failedAttempts, since: since! } as const)
      : null;
    return { health: unknownHealth, event };
  }
  const failedAttempts = health.failedAttempts + 1;
  const since = health.since ?? now;
  const isOverdue = failedAttempts >= failingAfter.attempts && now - since >= failingAfter.ms;
  const begins = isOverdue && !health.isFailing;
  return {
    health: { failedAttempts, since, isFailing: health.isFailing || isOverdue },
    event: begins ? { type: "target.failing", failedAttempts, since } : null,
  };
}
