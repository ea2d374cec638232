import type { Instant } from "../../instant.ts";
import { mostQueued } from "../limits.ts";
import type { Overlap } from "../schedule.ts";
import type { Earlier } from "./draft.ts";

/** What happens at a run time. "replace": it is made, and the earlier message ends. */
export type Meeting = "make" | "replace" | "skip" | "wait";

export function meetEarlier(
  overlap: Overlap,
  earlier: Earlier,
  runTime: Instant,
  now: Instant,
): Meeting {
  if (overlap === "allow" || earlier === "ended") return "make";
  // The earlier one may end before the time comes.
  if (runTime > now) return "wait";
  if (overlap === "skip") return "skip";
  return overlap === "replace" && earlier === "scheduled" ? "replace" : "wait";
}

/** Of so many run times that wait together, the latest, a run is made. */
export function mostWaiting(overlap: Overlap): number {
  if (overlap === "replace") return 1;
  return overlap === "queue" ? mostQueued : Infinity;
}

const looksBeforeMs = [1_000, 250, 0];
const [soonestMs, latestMs] = [250, 1_000];

/** When to look again at a run time that waits for the earlier message. */
export function lookAgainTime(runTime: Instant, earlier: Earlier, now: Instant): Instant {
  if (now < runTime) return runTime - looksBeforeMs.find((ms) => runTime - ms > now)!;
  // The message of a run that waited is due at once, and may end soon. A queue gets shorter by that.
  if (earlier === "made-here") return now + soonestMs;
  return now + Math.max(soonestMs, Math.min(latestMs, Math.floor((now - runTime) / 4)));
}
