import type { ListedSchedule, Message, Schedule, ScheduleRun } from "@postdate/client";
import { parseTime } from "../../domain/times.ts";
import type { Row } from "../target-kinds/target-kind-commands.ts";
import { shortened } from "../terminal/aligned.ts";
import { cardOf } from "../terminal/card.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { relativeTime, timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf, type Cell } from "../terminal/table.ts";
import { many } from "./job-words.ts";
import { optionRowsOfRuns } from "./message-options.ts";
import {
  catchUpText,
  overlapWords,
  pauseText,
  runOutcomeText,
  runReasonText,
  someOf,
  whenText,
} from "./schedule-words.ts";

const longestPayload = 60;

/** One schedule, with a line for each fact. */
export function scheduleCard(
  schedule: Schedule,
  look: Look,
  waitedFor: Message | null = null,
): string {
  const { now } = look;
  const { pause, lastRun, skips, runsLeft } = schedule;
  const rows: readonly Row[] = [
    ["Schedule", schedule.scheduleId],
    ["State", stateText(schedule, look)],
    ...(pause === null ? [] : pauseRows(pause, now)),
    ["Next run", timeBeside(schedule.nextRunTime, now)],
    ...(typeof runsLeft === "number" ? [["Runs left", counted(runsLeft)] as const] : []),
    ...waitingRows(schedule, waitedFor, look),
    ["Last run", lastRun === null ? "-" : lastRunText(lastRun, look)],
    ...settingsOfSchedule(schedule),
    ...(skips.length === 0 ? [] : [["Skipped", someOf(skips)] as const]),
    ["Created", timeBeside(schedule.creationTime, now)],
    ["Changed", timeBeside(schedule.updateTime, now)],
  ];
  return cardOf(rows, look);
}

/** What can be set, without what has its usual value. */
export function settingsOfSchedule(schedule: Schedule): readonly Row[] {
  const { startTime, endTime, except, maxRuns, flexWindowMs, payload } = schedule;
  const { pauseAfterDeadLetters: deadLetters } = schedule;
  const rows: readonly (Row | null)[] = [
    ["Target", schedule.targetId],
    ["When", whenText(schedule)],
    ["Zone", schedule.timeZone],
    startTime === null ? null : ["Starts", startTime],
    endTime === null ? null : ["Ends", endTime],
    maxRuns === null ? null : ["At most", many(maxRuns, "run")],
    except.length === 0 ? null : ["Except", someOf(except)],
    flexWindowMs === 0 ? null : ["Spread over", durationText(flexWindowMs)],
    ["On overlap", overlapWords[schedule.overlap] ?? schedule.overlap],
    ["Missed runs", catchUpText(schedule)],
    deadLetters === null ? null : ["Pauses", `after ${many(deadLetters, "dead letter")} in a row`],
    ["Payload", payloadText(payload)],
  ];
  return [...rows.filter((row) => row !== null), ...optionRowsOfRuns(schedule.message)];
}

/** Which message the next run waits for, what is known of it, and since when. */
function waitingRows(
  { waitsForMessageId, nextRunTime }: Schedule,
  message: Message | null,
  { now, paint }: Look,
): readonly Row[] {
  if (typeof waitsForMessageId !== "string") return [];
  const known = message === null ? [] : waitedForParts(message, now, paint);
  return [
    ["Waits for", [waitsForMessageId, ...known].join(", ")],
    ["Waits since", timeBeside(nextRunTime, now)],
  ];
}

function waitedForParts(message: Message, now: number, paint: Look["paint"]): readonly string[] {
  const { state, runTime, deliveryFailureCount: failures, nextDeliveryTime } = message;
  return [
    paint("cyan", state),
    ...(runTime === undefined ? [] : [`of the run ${timeBeside(runTime, now)}`]),
    ...(failures === 0 ? [] : [many(failures, "failure")]),
    ...(nextDeliveryTime === null ? [] : [`due ${timeBeside(nextDeliveryTime, now)}`]),
  ];
}

function payloadText(payload: string): string {
  if (payload === "") return "empty";
  const beginning = shortened(payload, longestPayload);
  if (beginning === payload) return payload;
  return `${beginning} (${counted(payload.length)} characters)`;
}

/** Schedules, one line each. */
export function scheduleRows(schedules: readonly ListedSchedule[], look: Look): string {
  const titles = ["SCHEDULE", "STATE", "NEXT RUN", "LAST RUN", "TARGET", "WHEN"];
  const rows = schedules.map((schedule) => [
    schedule.scheduleId,
    stateText(schedule, look),
    timeCell(schedule.nextRunTime, look.now),
    lastRunCell(schedule.lastRun, look),
    schedule.targetId,
    `${whenText(schedule)} (${schedule.timeZone})`,
  ]);
  return tableOf({ titles, rows, shortenable: ["WHEN"] }, look);
}

function stateText(schedule: ListedSchedule, { paint }: Look): string {
  const { paused, nextRunTime, waitsForMessageId } = schedule;
  if (paused) return paint("yellow", "paused");
  if (typeof waitsForMessageId === "string") return paint("yellow", "waiting");
  return nextRunTime === null ? paint("bold", "ended") : paint("green", "active");
}

function pauseRows(pause: NonNullable<ListedSchedule["pause"]>, now: number): readonly Row[] {
  const { time, until, note, reason } = pause;
  const isOwn = reason === "DEAD_LETTERS";
  return [
    ["Paused", timeBeside(time, now)],
    ...(isOwn ? [["Reason", pauseText(reason)] as const] : []),
    ["Until", until === null ? "it is resumed" : timeBeside(until, now)],
    ...(note === null ? [] : [["Note", note] as const]),
  ];
}

function lastRunText(run: ScheduleRun, look: Look): string {
  const parts = [
    runOutcomeText(run, look),
    timeBeside(run.runTime, look.now),
    run.messageId ?? runReasonText(run),
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function lastRunCell(run: ScheduleRun | null, look: Look): Cell {
  if (run === null) return "-";
  const outcome = runOutcomeText(run, look);
  const parsed = parseTime(run.runTime);
  const distance = parsed.ok ? relativeTime(parsed.time - look.now) : run.runTime;
  return [`${outcome} ${timeBeside(run.runTime, look.now)}`, `${outcome} ${distance}`, outcome];
}
