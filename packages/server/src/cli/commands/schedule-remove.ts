import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutSchedule, readSchedule } from "../connection/look-up-schedule.ts";
import { examples } from "../help/help-text.ts";
import { confirmed } from "../input/confirmed.ts";
import { openPrompt } from "../input/prompt.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function addScheduleRemove(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "remove <scheduleId>")
    .description("remove a schedule and the record of its runs; asks first")
    .option("--yes", "remove it without asking")
    .addHelpText(
      "after",
      examples(
        ["postdate schedule remove digest", "messages that are due stay, those to come go"],
        ["postdate schedule remove digest --yes", "in a script"],
      ),
    )
    .action(async (scheduleId: string, { yes }: { readonly yes?: boolean }) => {
      const { service, show } = connect(command, surroundings);
      if (yes !== true) {
        // A misspelt name is told before the question.
        await readSchedule(service, scheduleId);
        await agree(scheduleId, surroundings);
      }
      const removed = await askAboutSchedule(service, scheduleId, ({ schedules }) =>
        schedules.remove(scheduleId),
      );
      show(removed, () => `Removed ${scheduleId}\n`);
    });
}

async function agree(scheduleId: string, surroundings: Surroundings): Promise<void> {
  const prompt = openPrompt(surroundings.stdin, surroundings.stderr);
  const question = `Remove ${scheduleId}, and the record of its runs? Messages that it made and that are not due yet are cancelled.`;
  const advice = "Add --yes to remove it.";
  try {
    await confirmed({ question, advice, prompt, surroundings });
  } finally {
    await prompt.close();
  }
}
