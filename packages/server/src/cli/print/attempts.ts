import { parseTime } from "../../domain/times.ts";
import type { Attempt } from "@postdate/client";
import { onOneLine } from "../terminal/aligned.ts";
import { cutToWidth } from "../terminal/display-width.ts";
import { durationText } from "../terminal/duration-text.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

const titles = ["#", "STARTED", "TOOK", "OUTCOME", "STATUS", "ERROR"];

/** A line for each attempt and, if known, the target's answer below it. */
export function attemptRows(attempts: readonly Attempt[], look: Look): string {
  const { paint, now } = look;
  const rows = attempts.map((attempt) => [
    String(attempt.number),
    timeCell(attempt.startTime, now),
    tookText(attempt),
    paint(attempt.outcome === "DELIVERED" ? "green" : "red", attempt.outcome),
    String(attempt.statusCode ?? "-"),
    onOneLine(attempt.error ?? "-"),
  ]);
  const notes = attempts.map((attempt) => answerText(attempt) || null);
  return tableOf({ titles, rows, notes, shortenable: ["ERROR"] }, look);
}

/** Whether an answer is wider than the terminal. */
export function hidesAnswers(attempts: readonly Attempt[], { columns }: Look): boolean {
  if (columns === null) return false;
  return attempts.some((attempt) => {
    const answer = answerText(attempt);
    return cutToWidth(answer, columns) !== answer;
  });
}

/** The target wrote this text. It must not look like ours, and must not control the terminal. */
function answerText({ response }: Attempt): string {
  return response ? `   answer: ${onOneLine(response)}` : "";
}

function tookText({ startTime, endTime }: Attempt): string {
  const start = parseTime(startTime);
  const end = parseTime(endTime);
  return start.ok && end.ok ? durationText(end.time - start.time) : "-";
}
