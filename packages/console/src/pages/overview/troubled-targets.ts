import type { TargetStats } from "@postdate/client";

/** A share of failures that nobody has to look at: retries take care of it. */
const usualShare = 0.1;

/** Targets that a person should look at, the worst of each kind first. */
export interface TroubledTargets {
  readonly paused: readonly TargetStats[];
  /** They did not take what they were sent in the last hour. */
  readonly failing: readonly TargetStats[];
  /** They have as many attempts as they may, and messages wait. */
  readonly full: readonly TargetStats[];
}

export function troubledTargets(all: readonly TargetStats[]): TroubledTargets {
  const isFailing = ({ lastHour: { attempts, failed } }: TargetStats): boolean =>
    failed > attempts * usualShare;
  return {
    paused: all
      .filter(({ paused }) => paused)
      .toSorted((one, other) => other.waiting.value - one.waiting.value),
    failing: all
      .filter(isFailing)
      .toSorted((one, other) => other.lastHour.failed - one.lastHour.failed),
    full: all
      .filter(
        ({ paused, inFlight, maxConcurrency, waiting }) =>
          !paused && inFlight >= maxConcurrency && waiting.value > 0,
      )
      .toSorted((one, other) => other.waiting.value - one.waiting.value),
  };
}
