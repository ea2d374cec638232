import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutSchedule } from "../connection/look-up-schedule.ts";
import { examples } from "../help/help-text.ts";
import { runCard } from "../print/runs.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addScheduleTrigger(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "trigger <scheduleId>")
    .description("make one run now, beside those by time, also of a paused schedule")
    .addHelpText(
      "after",
      examples(["postdate schedule trigger digest", "to see whether it arrives"]),
    )
    .action(async (scheduleId: string) => {
      const { service, show } = connect(command, surroundings);
      const run = await askAboutSchedule(service, scheduleId, ({ schedules }) =>
        schedules.trigger(scheduleId),
      );
      show(run, runCard);
    });
}
