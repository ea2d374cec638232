import type { Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { apiCommand } from "../connection/connection.ts";
import { explained } from "../help/help-text.ts";
import { filterOf, withFilter, type FilterOptions } from "../input/job-filter.ts";
import { limitsOf, withJobOptions, type JobOptions } from "../input/job-options.ts";
import { durationMsOf } from "../input/moment/duration-words.ts";
import { optionInstead } from "../input/one-or-many.ts";
import { readOption } from "../input/read-option.ts";
import { runJob } from "../jobs/run-job.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface ShiftOptions extends FilterOptions, JobOptions {
  readonly by?: string;
}

export function addShift(program: Command, surroundings: Surroundings): void {
  const command = withFilter(
    apiCommand(program, "shift")
      // The action has a better word for it than the parser.
      .usage("[options]")
      .argument("[word]")
      .option("--by <duration>", 'how far: 1d, "2 hours"; -2h moves them to earlier times')
      .option("--target <targetId>", "only messages for this target"),
  );
  withJobOptions(command, "shift")
    .description("move many scheduled messages by a time, as a job: shows them and asks first")
    .addHelpText(
      "after",
      explained(
        "What is moved into the past is due at once. Messages that are scheduled after the job has begun stay where they are. Exit code 0 means that the job is done.",
        ["postdate shift --target billing --by 1d", "all of them, a day later"],
        ["postdate shift --target billing --max-time 1h --by 2h", "those due within the hour"],
        ["postdate shift --label order=17 --by -30m --yes", "earlier, and without a question"],
      ),
    )
    .action(async (word: string | undefined, options: ShiftOptions) => {
      if (word !== undefined) command.error(`error: ${optionInstead(word)}`);
      const by = options.by ?? command.error("error: say how far, with --by, such as --by 1d");
      const byMs = readOption("--by", by, parseDistance);
      const { filter, understood } = filterOf(command, options, surroundings);
      const job = { action: "shift" as const, filter, byMs, ...limitsOf(options) };
      await runJob({ command, surroundings, job, options, understood });
    });
}

/** A duration with or without a sign. */
function parseDistance(text: string): number {
  const [, sign = "", words = ""] = /^\s*([+-]?)\s*(.*)$/s.exec(text) ?? [];
  const distanceMs = durationMsOf(words);
  if (distanceMs > 0) return sign === "-" ? -distanceMs : distanceMs;
  throw new InvalidValue(`moves nothing: "${text}"; write it like 1d, 90m or -2h`);
}
