import type { EventData, PostdateEvent } from "@postdate/client";
import { parseTime } from "../../domain/times.ts";
import type { Style } from "../terminal/colours.ts";
import { asWords } from "../terminal/constants.ts";
import type { Look } from "../terminal/look.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { stopReasonText } from "./jobs.ts";
import { reasonOf } from "./messages.ts";
import { pauseText, runReasonText } from "./schedule-words.ts";

/** By the last word of the type. */
const styles: ReadonlyMap<string, Style> = new Map([
  ["delivered", "green"],
  ["recovered", "green"],
  ["run_created", "green"],
  ["resumed", "green"],
  ["attempt_failed", "yellow"],
  ["paused", "yellow"],
  ["cancelled", "yellow"],
  ["run_skipped", "yellow"],
  ["dead_lettered", "red"],
  ["failing", "red"],
  ["disabled", "red"],
  ["run_missed", "red"],
]);

const widestType = "message.attempt_failed".length;

/** One line for an event: when, what, which, and what is worth knowing of it. */
export function eventLine(event: PostdateEvent, { paint }: Look, shownTime = event.time): string {
  const type = shortType(event);
  const style = styles.get(type.slice(type.indexOf(".") + 1)) ?? "cyan";
  const parts = [
    paint("dim", shownTime),
    paint(style, type.padEnd(widestType)),
    nameOf(event),
    ...factsOf(event),
  ];
  return `${parts.join("  ").trimEnd()}\n`;
}

/** The type without what all types have. */
export function shortType({ type }: Pick<PostdateEvent, "type">): string {
  return type.replace(/^postdate\.(.*)\.v1$/, "$1");
}

/** The id of the subject, without its collection. */
function nameOf({ subject }: PostdateEvent): string {
  return subject.slice(subject.indexOf("/") + 1);
}

function factsOf({ time, data }: PostdateEvent): string[] {
  const { message, attempt, target, health, schedule, run, job, endpoint } = data;
  const facts = [
    message && `to ${message.targetId}`,
    message?.key !== undefined && `key ${message.key}`,
    message?.nextDeliveryTime && `due ${due(message.nextDeliveryTime, time)}`,
    message && reasonOf(message),
    attempt && attemptText(attempt),
    health && `${health.failedAttempts} attempts failed in a row`,
    target?.paused === true && "paused",
    schedule && `to ${schedule.targetId}`,
    schedule?.pauseReason && `paused: ${pauseText(schedule.pauseReason)}`,
    run?.runTime,
    run && runReasonText(run),
    run?.messageId,
    job && `${job.action} ${asWords(job.state)}, ${job.done} of ${job.matched}`,
    job && stopReasonText(job),
    endpoint?.statusCode != null && `its receiver answered ${endpoint.statusCode}`,
  ];
  return facts.filter((fact) => typeof fact === "string");
}

function attemptText({ number, outcome, statusCode, error }: NonNullable<EventData["attempt"]>) {
  const other = asWords(outcome);
  const why = outcome === "DELIVERED" ? (statusCode ?? other) : (error ?? other);
  return `attempt ${number}: ${why}`;
}

/** From the time of the event: it tells what was so then, however late it is read. */
function due(text: string, eventTime: string): string {
  const [at, from] = [parseTime(text), parseTime(eventTime)];
  return at.ok && from.ok ? relativeTime(at.time - from.time) : text;
}
