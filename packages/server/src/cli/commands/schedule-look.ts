import { Option, type Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { orNoSchedule, readSchedule } from "../connection/look-up-schedule.ts";
import { lookUpTarget } from "../connection/look-up-target.ts";
import { showPages, withPaging, type PagingOptions } from "../connection/show-pages.ts";
import { showSchedule } from "../connection/show-schedule.ts";
import { examples } from "../help/help-text.ts";
import { runRows } from "../print/runs.ts";
import { scheduleRows } from "../print/schedules.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface ListOptions extends PagingOptions {
  readonly target?: string;
  readonly paused?: "yes" | "no";
}

export function addScheduleList(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "list")
    .description("list the schedules, with their next run and what became of the last")
    .option("--target <targetId>", "only those for this target")
    .addOption(
      new Option("--paused <yes|no>", "only those that are paused, or that are not").choices([
        "yes",
        "no",
      ]),
    );
  withPaging(command)
    .addHelpText(
      "after",
      examples(
        ["postdate schedule list --all", "every one"],
        ["postdate schedule list --paused yes", "what somebody has to resume"],
      ),
    )
    .action(async (options: ListOptions) => {
      const { target, paused } = options;
      const query = {
        ...(target !== undefined && { targetId: target }),
        ...(paused !== undefined && { paused: paused === "yes" }),
      };
      const connection = connect(command, surroundings);
      await showPages({
        connection,
        list: ({ schedules }, paging) => schedules.list({ ...query, ...paging }),
        options,
        stdout: surroundings.stdout,
        none: async () => {
          if (target !== undefined) await lookUpTarget(connection.service, target);
          return Object.keys(query).length === 0
            ? "No schedules yet: postdate schedule add makes one."
            : "No schedule matches.";
        },
        rows: scheduleRows,
      });
    });
}

export function addScheduleShow(schedule: Command, surroundings: Surroundings): void {
  const command = apiCommand(schedule, "show <scheduleId>")
    .description("show a schedule and its next runs")
    .addHelpText("after", examples(["postdate schedule show digest", "everything that it has set"]))
    .action(async (scheduleId: string) => {
      const connection = connect(command, surroundings);
      await showSchedule(connection, await readSchedule(connection.service, scheduleId));
    });
}

export function addScheduleRuns(schedule: Command, surroundings: Surroundings): void {
  const command = withPaging(apiCommand(schedule, "runs <scheduleId>"))
    .description("list what became of its runs, the newest first; also of those without a message")
    .addHelpText(
      "after",
      examples(
        ["postdate schedule runs digest", "the latest twenty"],
        ["postdate schedule runs digest --all --json", "one JSON object on each line"],
      ),
    )
    .action(async (scheduleId: string, options: PagingOptions) => {
      const connection = connect(command, surroundings);
      const pages = showPages({
        connection,
        list: ({ schedules }, paging) => schedules.runs(scheduleId, paging),
        options,
        stdout: surroundings.stdout,
        none: () => `No runs of ${scheduleId} yet.`,
        rows: runRows,
      });
      await orNoSchedule(connection.service, scheduleId, pages);
    });
}
