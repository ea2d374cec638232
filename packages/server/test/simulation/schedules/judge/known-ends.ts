import type { Incarnation, RecordedRun } from "./incarnation.ts";
import { lookedAtWithinMs, longestWaitMs, shortestWaitMs } from "./schedule-history.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";

type History = Pick<ScheduleHistory, "excuses" | "setBackMs">;

/** A run by time whose message was delivered or became a dead letter, as far as that is certain. */
export interface RunEnd {
  readonly runTime: number;
  /** Null: a caller has brought it back, so it may have been either. */
  readonly isDeadLetter: boolean | null;
  readonly endedAt: number;
  /** The schedule had a limit of dead letters when the run was made. If not, the end may count or not. */
  readonly isWatched: boolean;
  /** From then on it is looked at with the next look. Infinity: nobody can say, as a caller has moved it. */
  readonly dueToLookAt: number;
}

/** All ends of runs by time that a schedule has made by now, also those that come later. */
export function endsOf(
  { setBackMs }: History,
  { everMade, movedTo }: Incarnation,
  messages: ReadonlyMap<string, RunsMessage>,
): RunEnd[] {
  return everMade.flatMap((run) => {
    const found = messages.get(run.messageId!);
    if (found === undefined) return [];
    const { message, isRevived = false } = found;
    if (isRevived) return [endOf(run, { isDeadLetter: null, endedAt: -Infinity })];
    if (message.state !== "DELIVERED" && message.state !== "DEAD_LETTER") return [];
    const endedAt = found.endedAt!;
    // The longer it was due, the more rarely it was looked at.
    const dueMs = endedAt - run.runTime + setBackMs;
    const waitMs = Math.min(Math.max(dueMs / 4, shortestWaitMs), longestWaitMs);
    const dueToLookAt = movedTo.has(message.messageId) ? Infinity : endedAt + waitMs + setBackMs;
    return [endOf(run, { isDeadLetter: message.state === "DEAD_LETTER", endedAt, dueToLookAt })];
  });
}

function endOf(
  { runTime, isWatched }: RecordedRun,
  end: Pick<RunEnd, "isDeadLetter" | "endedAt"> & Partial<RunEnd>,
): RunEnd {
  return { runTime, isWatched, dueToLookAt: Infinity, ...end };
}

/** Whether a node must have looked at it by this instant: one could, right when it was due or right before. */
export function isKnownBy(
  { excuses }: History,
  { accountId }: Incarnation,
  { isWatched, dueToLookAt }: RunEnd,
  instant: number,
): boolean {
  const latest = instant - lookedAtWithinMs;
  if (!isWatched || dueToLookAt > latest) return false;
  return [dueToLookAt, latest].some(
    (from) => !excuses.hold(accountId, from, from + lookedAtWithinMs),
  );
}
