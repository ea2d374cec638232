import type { Instant } from "../../instant.ts";
import { mostOnRecord } from "../limits.ts";
import type { Run, RunTrigger } from "../run.ts";
import type { Schedule } from "../schedule.ts";
import { caughtUpFrom, reasonNotCaughtUp } from "./catch-up.ts";
import { unmadeRun } from "./draft.ts";
import { mostWaiting } from "./overlap.ts";
import { isMissedTime, queueGapsOf } from "./queue-gaps.ts";

/** What is to happen at a run time: a message, or a row that says why there is none. Null: not even that. */
export type Verdict = { readonly make: RunTrigger } | { readonly unmade: Run | null };

/** About run times up to `now`, one for each. What is late was missed, unless `overlap` has held it back. */
export function dueVerdicts(schedule: Schedule, due: readonly Instant[], now: Instant): Verdict[] {
  if (due.length === 0) return [];
  const { catchUp, overlap, progress } = schedule;
  const calledOff = new Set(schedule.skips);
  const gaps = queueGapsOf(progress, now);
  const isMissed = (time: Instant) => isMissedTime(progress, gaps, time, now);
  const wanted = due.filter((time) => !calledOff.has(time));
  const madeFrom = caughtUpFrom(wanted.filter(isMissed), catchUp, now);
  const made = wanted.filter((time) => !isMissed(time) || time >= madeFrom);
  const waitsFrom = made.slice(-mostWaiting(overlap))[0] ?? Infinity;
  const verdicts = due.map((time): Verdict => {
    if (calledOff.has(time)) return { unmade: unmadeRun(time, "SKIPPED", "REQUESTED") };
    if (isMissed(time) && time < madeFrom) {
      return { unmade: unmadeRun(time, "MISSED", reasonNotCaughtUp(catchUp, time, now)) };
    }
    const trigger = isMissed(time) ? "CATCH_UP" : "TIME";
    if (time >= waitsFrom) return { make: trigger };
    return { unmade: unmadeRun(time, "SKIPPED", "OVERLAP", trigger) };
  });
  return withLatestOnRecord(verdicts);
}

/** After a long time only the latest of many are on record. */
function withLatestOnRecord(verdicts: readonly Verdict[]): Verdict[] {
  let surplus = verdicts.filter((verdict) => "unmade" in verdict).length - mostOnRecord;
  return verdicts.map((verdict) =>
    "unmade" in verdict && surplus-- > 0 ? { unmade: null } : verdict,
  );
}
