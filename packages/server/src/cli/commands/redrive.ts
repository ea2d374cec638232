import type { Command } from "commander";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { defaultStopAfterFailures } from "../../domain/job.ts";
import { apiCommand } from "../connection/connection.ts";
import { explained } from "../help/help-text.ts";
import {
  redriveFilterOf,
  withRedriveFilter,
  type RedriveFilterOptions,
} from "../input/job-filter.ts";
import { limitsOf, withJobOptions, type JobOptions } from "../input/job-options.ts";
import { readOption } from "../input/read-option.ts";
import { runJob } from "../jobs/run-job.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface RedriveOptions extends RedriveFilterOptions, JobOptions {
  readonly stopAfter?: string;
}

export function addRedrive(program: Command, surroundings: Surroundings): void {
  const command = withRedriveFilter(
    apiCommand(program, "redrive [targetId]").option(
      "--target <targetId>",
      "the same as the argument: only dead letters of this target",
    ),
  ).option(
    "--stop-after <number>",
    `pause if this many fail again in a row (default: ${defaultStopAfterFailures})`,
  );
  withJobOptions(command, "redrive")
    .description("send dead letters again, as a job: shows them and asks first")
    .addHelpText(
      "after",
      explained(
        "What becomes a dead letter after the job has begun stays one. Exit code 0 means that the job is done.",
        ["postdate redrive billing --since 1d", "those of the last day"],
        ["postdate redrive billing --status 503 --rate 10", "gently, what was answered with 503"],
        ["postdate redrive --label order=17 --dry-run", "of any target; only look"],
        ["postdate redrive billing --yes --json", "in a script: the job as JSON, once it is done"],
      ),
    )
    .action(async (targetId: string | undefined, options: RedriveOptions) => {
      const { target = targetId } = options;
      if (targetId !== undefined && target !== targetId) {
        command.error(`error: name one target, either ${targetId} or --target ${target}`);
      }
      const named = { ...options, ...(target !== undefined && { target }) };
      const { filter, understood } = redriveFilterOf(command, named, surroundings);
      const { stopAfter } = options;
      const job = {
        action: "redrive" as const,
        filter,
        ...limitsOf(options),
        ...(stopAfter !== undefined && {
          stopAfterFailures: readOption("--stop-after", stopAfter, wholeNumber(1, 1_000_000).read),
        }),
      };
      await runJob({ command, surroundings, job, options, understood });
    });
}
