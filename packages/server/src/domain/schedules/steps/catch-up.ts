import type { Instant } from "../../instant.ts";
import { mostCaughtUp } from "../limits.ts";
import type { RunReason } from "../run.ts";
import type { CatchUp } from "../schedule.ts";

/** From which of the run times that were missed on they are made. */
export function caughtUpFrom(
  missed: readonly Instant[],
  { mode, windowMs }: CatchUp,
  now: Instant,
): Instant {
  const most = { none: 0, last: 1, all: mostCaughtUp }[mode];
  const first = most === 0 ? undefined : missed.slice(-most).find((time) => now - time <= windowMs);
  return first ?? Infinity;
}

/** Why a run time that was missed is not made. */
export function reasonNotCaughtUp({ windowMs }: CatchUp, time: Instant, now: Instant): RunReason {
  return now - time > windowMs ? "TOO_OLD" : "NOT_CAUGHT_UP";
}
