import type { ScheduleRun } from "@postdate/client";
import { cardOf } from "../terminal/card.ts";
import type { Look } from "../terminal/look.ts";
import { timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { runOutcomeText, runReasonText } from "./schedule-words.ts";

/** The runs of a schedule, one line each. */
export function runRows(runs: readonly ScheduleRun[], look: Look): string {
  const titles = ["RUN TIME", "OUTCOME", "TRIGGER", "MESSAGE", "REASON"];
  const rows = runs.map((run) => [
    timeCell(run.runTime, look.now),
    runOutcomeText(run, look),
    run.trigger,
    run.messageId ?? "-",
    runReasonText(run) ?? "-",
  ]);
  return tableOf({ titles, rows, shortenable: ["REASON"] }, look);
}

/** One run, with a line for each fact. */
export function runCard(run: ScheduleRun, look: Look): string {
  const reason = runReasonText(run);
  return cardOf(
    [
      ["Schedule", run.scheduleId],
      ["Run time", timeBeside(run.runTime, look.now)],
      ["Outcome", runOutcomeText(run, look)],
      ["Message", run.messageId ?? "-"],
      ...(reason === null ? [] : [["Reason", reason] as const]),
    ],
    look,
  );
}
