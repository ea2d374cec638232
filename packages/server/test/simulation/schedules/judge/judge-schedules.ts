import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import { Incarnation } from "./incarnation.ts";
import { judgeEnd } from "./judge-end.ts";
import { judgeLimits } from "./judge-limits.ts";
import { judgeMessages, judgeTakenBack } from "./judge-messages.ts";
import { isByTime, judgeRow, madeBefore } from "./judge-row.ts";
import { PauseFollower } from "./pause-follower.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";
import { textOf } from "./text-of.ts";

/**
 * The promises about schedules that were broken. It goes through what was committed, and says of each row whether
 * there may be such a one, and of each pause by dead letters; then of each run time that the oracle names whether it is on
 * record.
 */
export function judgeSchedules(history: ScheduleHistory): string[] {
  const messages = messagesOf(history);
  const schedules = new Map<number, Incarnation>();
  const pauses = new Map<Incarnation, PauseFollower>();
  const removed: Incarnation[] = [];
  const problems: string[] = [];
  for (const event of history.events) {
    if (event.kind === "created") {
      const created = new Incarnation(event, history);
      schedules.set(event.scheduleKey, created);
      pauses.set(created, new PauseFollower(history, created, messages));
      continue;
    }
    if (event.kind === "revived") continue;
    const schedule = schedules.get(event.scheduleKey);
    if (schedule === undefined) {
      problems.push(`${event.scheduleKey} goes on after it was removed: ${event.kind}`);
      continue;
    }
    const pausing = pauses.get(schedule)!;
    problems.push(...pausing.missing(event.at));
    problems.push(...follow(history, schedule, event, messages));
    problems.push(...pausing.follow(event));
    schedule.committed(event.at);
    if (event.kind !== "removed") continue;
    schedules.delete(event.scheduleKey);
    removed.push(schedule);
  }
  for (const schedule of schedules.values()) {
    problems.push(...pauses.get(schedule)!.missing(history.endTime));
  }
  for (const schedule of [...removed, ...schedules.values()]) {
    problems.push(...judgeEnd(history, schedule, messages));
  }
  return [...problems, ...judgeMessages(history), ...judgeLimits(history)];
}

function messagesOf({ events, messages }: ScheduleHistory): ReadonlyMap<string, RunsMessage> {
  const revived = new Set(
    events.flatMap((event) => (event.kind === "revived" ? [event.messageId] : [])),
  );
  return new Map(
    messages.map((each) => {
      const { messageId } = each.message;
      return [messageId, { ...each, isRevived: revived.has(messageId) }];
    }),
  );
}

function follow(
  history: ScheduleHistory,
  schedule: Incarnation,
  event: Exclude<ScheduleEvent, { kind: "created" | "revived" }>,
  messages: ReadonlyMap<string, RunsMessage>,
): string[] {
  switch (event.kind) {
    case "changed":
      schedule.change(event);
      return judgeTakenBack(history, schedule, event, messages);
    case "removed":
      schedule.remove(event.at);
      return judgeTakenBack(history, schedule, event, messages);
    case "moved":
      schedule.movedTo.set(event.messageId, event.to);
      return [];
    case "paused itself":
      schedule.pauseItself(event.at);
      return [];
    default:
      return record(history, schedule, event, messages);
  }
}

function record(
  history: ScheduleHistory,
  schedule: Incarnation,
  { at, runs, undone }: Extract<ScheduleEvent, { kind: "runs" }>,
  messages: ReadonlyMap<string, RunsMessage>,
): string[] {
  const problems: string[] = [];
  const say = (time: number, what: string): void =>
    void problems.push(`${schedule.name} ${textOf(time)}, decided ${textOf(at)}: ${what}`);
  schedule.endPause(at);
  for (const time of undone) {
    const before = schedule.runs.get(time);
    schedule.runs.delete(time);
    if (before === undefined) say(time, "was undone, and never made");
    else if (time <= at) say(time, "was undone after its time");
    else if (!isTakenBack(before.messageId, at, messages))
      say(time, "its row went, not its message");
  }
  for (const run of runs) {
    const what = judgeRow(history, schedule, { run, beside: runs, at }, messages);
    if (what !== undefined) say(run.runTime, `${run.outcome} ${run.trigger} ${what}`);
    const before = schedule.runs.get(run.runTime);
    const isSecond = before !== undefined && !isTakenBack(before.messageId, at, messages);
    if (isSecond) say(run.runTime, `is ${before.outcome} already, and now ${run.outcome}`);
    if (run.messageId !== null && !messages.has(run.messageId)) say(run.runTime, "has no message");
  }
  for (const run of runs) {
    const isDecidedByTime =
      isByTime(run) || (schedule.runs.get(run.runTime)?.isDecidedByTime ?? false);
    const isWatched = schedule.definition.pauseAfterDeadLetters !== null;
    const recorded = { ...run, decidedAt: at, isDecidedByTime, isWatched };
    schedule.runs.set(run.runTime, recorded);
    if (isByTime(run) && run.outcome === "CREATED") schedule.everMade.push(recorded);
  }
  schedule.madeCounts.push({ at, count: madeBefore(schedule, Infinity) });
  return problems;
}

function isTakenBack(
  messageId: string | null,
  at: number,
  messages: ReadonlyMap<string, RunsMessage>,
): boolean {
  const found = messageId === null ? undefined : messages.get(messageId);
  if (messageId === null || found?.isRevived) return true;
  return found?.message.cancellationTime === at;
}
