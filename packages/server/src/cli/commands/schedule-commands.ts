import type { Command } from "commander";
import { examples } from "../help/help-text.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { addSchedulePreview } from "./schedule-preview.ts";

export function addSchedule(program: Command, surroundings: Surroundings): void {
  const schedule = program
    .command("schedule")
    .description("messages that recur")
    .addHelpText(
      "after",
      examples([
        'postdate schedule preview --cron "0 9 * * MON-FRI" --zone Europe/Berlin',
        "when it would be due",
      ]),
    );
  addSchedulePreview(schedule, surroundings);
}
