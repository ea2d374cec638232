import type { BackfillInput, Postdate } from "@postdate/client";
import type { Command } from "commander";
import { apiCommand, connect } from "../connection/connection.ts";
import { askAboutSchedule } from "../connection/look-up-schedule.ts";
import { explained } from "../help/help-text.ts";
import {
  limitsOf,
  withRunOptions,
  withStartOptions,
  type JobOptions,
} from "../input/job-options.ts";
import { timeRangeOf, withTimeRange } from "../input/time-range.ts";
import type { ZoneOptions } from "../input/zone-option.ts";
import { beginJob } from "../jobs/begin-job.ts";
import { backfillQuestion, backfillText, nothingToMake } from "../print/backfill-preview.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface BackfillOptions extends ZoneOptions, Omit<JobOptions, "max"> {
  readonly from?: string;
  readonly to?: string;
}

const ends = { min: "--from", max: "--to" };

export function addScheduleBackfill(schedule: Command, surroundings: Surroundings): void {
  const command = withTimeRange(apiCommand(schedule, "backfill <scheduleId>"), "back", ends);
  withRunOptions(withStartOptions(command, "backfill"))
    .description("make the runs of times that are past, as a job: shows them and asks first")
    .addHelpText(
      "after",
      explained(
        "Run times that have had a run are left out; those that were skipped or missed are made. Without --to it goes up to now. Messages are due at once.",
        ["postdate schedule backfill digest --from 7d", "what is missing of the last seven days"],
        [
          'postdate schedule backfill digest --from "2026-11-02 0:00" --to "2026-11-08 0:00" --rate 5',
          "one week, gently",
        ],
        ["postdate schedule backfill digest --from 1d --dry-run", "only look"],
      ),
    )
    .action((scheduleId: string, options: BackfillOptions) =>
      backfill({ command, surroundings, scheduleId, options }),
    );
}

interface BackfillToRun {
  readonly command: Command;
  readonly surroundings: Surroundings;
  readonly scheduleId: string;
  readonly options: BackfillOptions;
}

/** Shows the run times, asks, starts the job and watches it. */
async function backfill(toRun: BackfillToRun): Promise<void> {
  const { command, surroundings, scheduleId, options } = toRun;
  const { input, understood } = inputOf(toRun);
  const connection = connect(command, surroundings);
  const { service, show, hint, explain, worded } = connection;
  explain(understood);
  const ask = <Answer>(call: (postdate: Postdate) => Promise<Answer>): Promise<Answer> =>
    askAboutSchedule(service, scheduleId, call);

  const preview = await ask(({ schedules }) => schedules.previewBackfill(scheduleId, input));
  if (options.dryRun === true) return show(preview, backfillText);
  if (preview.count === 0 && preview.exact) {
    hint(`${nothingToMake} Nothing was started.`);
    return show(preview, () => "");
  }
  const { idempotencyKey } = options;
  await beginJob({
    ...{ connection, surroundings, options },
    agreement: {
      shown: worded(preview, backfillText),
      question: worded(preview, (it) => backfillQuestion(input, it)),
    },
    start: () => ask(({ schedules }) => schedules.backfill(scheduleId, input, { idempotencyKey })),
    total: preview.exact ? preview.count : null,
  });
}

function inputOf({ command, surroundings, options }: BackfillToRun) {
  const { from, to, ...others } = options;
  if (from === undefined) {
    return command.error("error: say from when on, with --from, such as --from 7d");
  }
  const given = { ...others, minTime: from, ...(to !== undefined && { maxTime: to }) };
  const { query, understood } = timeRangeOf(given, surroundings, "back", ends);
  const input: BackfillInput = {
    from: query.minTime!,
    ...(query.maxTime !== undefined && { to: query.maxTime }),
    ...limitsOf(others),
  };
  return { input, understood };
}
