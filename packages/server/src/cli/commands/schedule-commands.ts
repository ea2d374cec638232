import type { Command } from "commander";
import { examples } from "../help/help-text.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { addScheduleAdd } from "./schedule-add.ts";
import { addScheduleBackfill } from "./schedule-backfill.ts";
import { addScheduleList, addScheduleRuns, addScheduleShow } from "./schedule-look.ts";
import { addSchedulePause, addScheduleResume } from "./schedule-pause.ts";
import { addSchedulePreview } from "./schedule-preview.ts";
import { addScheduleRemove } from "./schedule-remove.ts";
import { addScheduleSkip, addScheduleUnskip } from "./schedule-skip.ts";
import { addScheduleTrigger } from "./schedule-trigger.ts";
import { addScheduleUpdate } from "./schedule-update.ts";

export function addSchedule(program: Command, surroundings: Surroundings): void {
  const schedule = program
    .command("schedule")
    .description("messages that recur")
    .addHelpText(
      "after",
      examples(
        [
          'postdate schedule preview --cron "0 9 * * MON-FRI" --zone Europe/Berlin',
          "when it would be due",
        ],
        [
          'postdate schedule add digest --target mail --cron "0 9 * * MON-FRI" --zone Europe/Berlin',
          "make it",
        ],
        ["postdate schedule list", "what runs next, and how the last run went"],
        ['postdate schedule skip digest "tomorrow 9:00"', "not tomorrow"],
      ),
    );
  addScheduleAdd(schedule, surroundings);
  addScheduleList(schedule, surroundings);
  addScheduleShow(schedule, surroundings);
  addScheduleRuns(schedule, surroundings);
  addScheduleUpdate(schedule, surroundings);
  addSchedulePause(schedule, surroundings);
  addScheduleResume(schedule, surroundings);
  addScheduleSkip(schedule, surroundings);
  addScheduleUnskip(schedule, surroundings);
  addScheduleTrigger(schedule, surroundings);
  addScheduleBackfill(schedule, surroundings);
  addScheduleRemove(schedule, surroundings);
  addSchedulePreview(schedule, surroundings);
}
