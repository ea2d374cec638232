import type { JobInput, JobPreview, Message } from "@postdate/client";
import { defaultRates } from "../../domain/job.ts";
import { formatTime } from "../../domain/times.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf, type Cell } from "../terminal/table.ts";
import { actionText, amountText, nounOf } from "./job-words.ts";
import { reasonOf } from "./messages.ts";
import { plannedByJob } from "./planned-by-job.ts";

const mostRows = 5;
/** The service counts no further. */
const mostCounted = 100_000;

/** How many messages a job would change, and the first of them. */
export function previewText(job: JobInput, preview: JobPreview, look: Look): string {
  const { count, exact, sample } = preview;
  if (count === 0) return exact ? `No ${nounOf(job.action)} matches.\n` : `${noneYet}\n`;
  const shown = sample.slice(0, mostRows);
  const others = exact ? `${counted(count - shown.length)} more` : "more";
  const rest = exact && count === shown.length ? "" : `… and ${others}.\n`;
  const warning = (job.byMs ?? 0) < 0 ? "What this moves into the past is due at once.\n" : "";
  const skipped = skippedText(skippedAmong(job, shown, look));
  return `${matchingText(job, preview)}\n${previewRows(job, shown, look)}${rest}${skipped}${warning}`;
}

function skippedAmong(job: JobInput, messages: readonly Message[], { now }: Look): number {
  return messages.filter((message) => plannedByJob(job, message, now) === "outrun").length;
}

function skippedText(count: number): string {
  if (count === 0) return "";
  return count === 1
    ? "One of those shown would be skipped: its notAfter comes first.\n"
    : `${counted(count)} of those shown would be skipped: their notAfter comes first.\n`;
}

/** The service counts for a few seconds only. */
const noneYet = "None of the messages that were looked at matches, but not all were looked at.";

function matchingText({ action }: JobInput, { count, exact }: JobPreview): string {
  const amount = amountText(action, count);
  if (exact) return `${amount} ${count === 1 ? "matches" : "match"}.`;
  return `${count >= mostCounted ? "More than" : "At least"} ${amount} match.`;
}

function previewRows(job: JobInput, messages: readonly Message[], look: Look): string {
  const ofAction = columnsOf(job, skippedAmong(job, messages, look) > 0);
  const columns = [...ofAction, ...(job.filter.targetId === undefined ? [target] : [])];
  const rows = messages.map((message) => columns.map(({ cell }) => cell(message, look)));
  const titles = columns.map(({ title }) => title);
  return tableOf({ titles, rows, shortenable: titles.includes("REASON") ? ["REASON"] : [] }, look);
}

interface Column {
  readonly title: string;
  readonly cell: (message: Message, look: Look) => Cell;
}

const target: Column = { title: "TARGET", cell: ({ targetId }) => targetId };
const id: Column = { title: "MESSAGE", cell: ({ messageId }) => messageId };
const next: Column = {
  title: "NEXT DELIVERY",
  cell: ({ nextDeliveryTime }, { now }) => timeCell(nextDeliveryTime, now),
};

const deadLettered: Column = {
  title: "DEAD-LETTERED",
  cell: ({ deadLetterTime }, { now }) => timeCell(deadLetterTime, now),
};
const reason: Column = { title: "REASON", cell: (message) => reasonOf(message) ?? "-" };

/** A reschedule has one time for all, which the question names. */
function columnsOf(job: JobInput, skipsSome: boolean): readonly Column[] {
  if (job.action === "redrive") return [id, deadLettered, reason];
  if (job.action === "shift" || (job.action === "reschedule" && skipsSome)) {
    return [id, next, { title: "THEN", cell: (message, { now }) => thenCell(job, message, now) }];
  }
  return [id, next];
}

function thenCell(job: JobInput, message: Message, now: number): Cell {
  const time = plannedByJob(job, message, now);
  if (time === undefined) return "-";
  if (time === "outrun") return "skipped: past its notAfter";
  return time <= now ? "at once" : formatTime(time);
}

/** What the job does if the answer is yes, and how long it may take. */
export function questionText(job: JobInput, { count, exact }: JobPreview): string {
  const { ratePerSecond: rate = defaultRates[job.action], maxMessages = Infinity } = job;
  const most = Math.min(count, maxMessages);
  const them = count === 1 && exact ? "it" : most < count ? `the first ${counted(most)}` : "them";
  const text = actionText(job, them);
  const speed = speedText(rate, most, exact || most < count);
  return `${text[0]!.toUpperCase()}${text.slice(1)}${speed}?`;
}

/** How fast so many go, and how long that takes. Empty for what is done at once. */
export function speedText(rate: number, count: number, isCertain: boolean): string {
  const seconds = Math.ceil(count / rate);
  const takes = `${isCertain ? "about" : "more than"} ${durationText(seconds * 1_000)}`;
  return seconds > 1 ? `, at most ${counted(rate)} a second (${takes})` : "";
}
