import type { Run } from "../../../../src/domain/schedules/run.ts";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import type { Incarnation } from "./incarnation.ts";
import { isByTime } from "./judge-row.ts";
import { textOf } from "./text-of.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";

/** After a pause, an edit, a skip or a removal nothing is left that was made and is not due yet. */
export function judgeTakenBack(
  { setBackMs }: ScheduleHistory,
  schedule: Incarnation,
  event: Extract<ScheduleEvent, { kind: "changed" | "removed" }>,
  messages: ReadonlyMap<string, RunsMessage>,
): string[] {
  const problems: string[] = [];
  for (const run of schedule.runs.values()) {
    const found = run.messageId === null ? undefined : messages.get(run.messageId);
    if (found === undefined || !isByTime(run) || !concerns(event, run.runTime)) continue;
    const { message, endedAt, attemptTimes, isRevived } = found;
    if (isRevived) continue;
    const dueAt = schedule.movedTo.get(message.messageId) ?? message.originalDeliveryTime;
    const wasOpen =
      (endedAt ?? Infinity) >= event.at &&
      dueAt > event.at &&
      (attemptTimes[0] ?? Infinity) >= event.at;
    // Before the clock was set back it may have shown the time at which the message was due or ended.
    const isMet = endedAt !== null || attemptTimes.length > 0;
    const mayBeShown = Math.min(dueAt, endedAt ?? Infinity) - event.at <= setBackMs;
    const isUnclear = setBackMs > 0 && isMet && mayBeShown;
    if (!wasOpen || isUnclear || message.cancellationTime === event.at) continue;
    problems.push(
      `${schedule.name} ${textOf(run.runTime)} was not taken back at ${textOf(event.at)}`,
    );
  }
  return problems;
}

function concerns(
  event: Extract<ScheduleEvent, { kind: "changed" | "removed" }>,
  runTime: number,
): boolean {
  if (event.kind === "removed") return true;
  const { change } = event;
  if (change.kind === "skip") return change.time === runTime;
  return change.kind === "pause" || change.kind === "define";
}

/** Every message belongs to a run, and none is delivered before its time or after it was taken back. */
export function judgeMessages({ events, messages, clockErrorMs }: ScheduleHistory): string[] {
  const problems: string[] = [];
  const runOf = new Map(
    events
      .flatMap((event) => (event.kind === "runs" ? event.runs.map(writtenBy(event)) : []))
      .flatMap((run) => (run.messageId === null ? [] : [[run.messageId, run] as const])),
  );
  const moves = events.flatMap((event) => (event.kind === "moved" ? [event] : []));
  const movesOf = Map.groupBy(moves, ({ messageId }) => messageId);
  /** The times that callers have given to the messages of one run. */
  const givenTimes = new Set(
    moves.map(({ messageId, to }) => `${placeOf(runOf.get(messageId))} ${to}`),
  );
  for (const { message, attemptTimes } of messages) {
    const { messageId, options, originalDeliveryTime, cancellationTime, endReason } = message;
    // A caller may have moved it to an earlier time of its flex window.
    const movedTo = (movesOf.get(messageId) ?? []).map(({ to }) => to);
    const dueAt = Math.min(originalDeliveryTime, ...movedTo);
    const { scheduleId, runTime } = options!.schedule!;
    const say = (what: string): void =>
      void problems.push(`${messageId} of ${scheduleId} ${textOf(runTime)} ${what}`);
    const run = runOf.get(messageId);
    if (run === undefined) say("belongs to no run");
    else if (run.runTime !== runTime) say(`belongs to the run ${textOf(run.runTime)}`);
    // One that is made again stays at the time that the caller has given.
    const isGiven = givenTimes.has(`${placeOf(run)} ${originalDeliveryTime}`);
    const isEarly = originalDeliveryTime < runTime && !isGiven;
    if (run?.trigger !== "MANUAL" && isEarly) say("is due before its run time");
    const [first] = attemptTimes;
    if (first !== undefined && first < dueAt - clockErrorMs) {
      say(`was attempted at ${textOf(first)}, before its time`);
    }
    if (cancellationTime === null) continue;
    // Nothing is kept of one that an edit makes again; one that a later run replaces may have been attempted.
    const isTakenBack = endReason === null || message.expirationTime === cancellationTime;
    // The store cannot know of an attempt whose node died before it could record it.
    if (isTakenBack && message.attemptCount > 0) say("was taken back, and attempted");
    if (attemptTimes.some((time) => time > cancellationTime + clockErrorMs)) {
      say("was attempted after it had ended");
    }
  }
  return problems;
}

interface PlacedRun extends Run {
  readonly scheduleKey: number;
}

const writtenBy =
  ({ scheduleKey }: ScheduleEvent) =>
  (run: Run): PlacedRun => ({ ...run, scheduleKey });

function placeOf(run: PlacedRun | undefined): string {
  return `${run?.scheduleKey} ${run?.runTime}`;
}
