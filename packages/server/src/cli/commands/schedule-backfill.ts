import type { BackfillInput, Postdate } from "@postdate/client";
import type { Command } from "commander";
import { apiCommand, connect, type Connection } from "../connection/connection.ts";
import { askAboutSchedule } from "../connection/look-up-schedule.ts";
import { whyNothing } from "../connection/why-nothing-to-backfill.ts";
import { zoneOfSchedule } from "../connection/zone-of-schedule.ts";
import { explained } from "../help/help-text.ts";
import {
  limitsOf,
  withRunOptions,
  withStartOptions,
  type JobOptions,
} from "../input/job-options.ts";
import { withOptionsNamed } from "../input/options-named.ts";
import { timeRangeIn, withTimeRange } from "../input/time-range.ts";
import { withScheduleZone, type ZoneOptions } from "../input/zone-option.ts";
import { beginJob } from "../jobs/begin-job.ts";
import { backfillQuestion, backfillText } from "../print/backfill-preview.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface BackfillOptions extends ZoneOptions, Omit<JobOptions, "max"> {
  readonly from?: string;
  readonly to?: string;
}

const ends = { min: "--from", max: "--to" };

export function addScheduleBackfill(schedule: Command, surroundings: Surroundings): void {
  const bare = apiCommand(schedule, "backfill <scheduleId>");
  const command = withTimeRange(bare, "back", ends, withScheduleZone);
  withRunOptions(withStartOptions(command, "backfill"))
    .description("make the runs of times that are past, as a job: shows them and asks first")
    .addHelpText(
      "after",
      explained(
        "Run times that have had a run are left out; those that were skipped or missed are made. Without --to it goes up to now. Times are read on the clocks of the schedule, or of --zone. Messages are due at once.",
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
  const { from } = options;
  if (from === undefined) {
    return command.error("error: say from when on, with --from, such as --from 7d");
  }
  const limits = limitsOf(options);
  const connection = connect(command, surroundings);
  const { service, json, show, hint, explain, worded } = connection;
  const { query, understood } = await spanOf({ ...toRun, from, connection });
  const input: BackfillInput = {
    from: query.minTime!,
    ...(query.maxTime !== undefined && { to: query.maxTime }),
    ...limits,
  };
  explain(understood);
  const ask = <Answer>(call: (postdate: Postdate) => Promise<Answer>): Promise<Answer> =>
    askAboutSchedule(service, scheduleId, call).catch((error: unknown) => {
      throw withOptionsNamed(error);
    });

  const preview = await ask(({ schedules }) => schedules.previewBackfill(scheduleId, input));
  const isEmpty = preview.count === 0 && preview.exact;
  const nothing = isEmpty && !json ? await whyNothing(connection, scheduleId, input) : "";
  if (options.dryRun === true) {
    return show(preview, (it, look) => (isEmpty ? `${nothing}\n` : backfillText(it, look)));
  }
  if (isEmpty) {
    hint(`${nothing} Nothing was started.`);
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

interface SpanToRead extends BackfillToRun {
  readonly from: string;
  readonly connection: Connection;
}

/** Times without an offset are on the clocks of the schedule, or of --zone. */
function spanOf({ surroundings, scheduleId, options, from, connection }: SpanToRead) {
  const { to, zone } = options;
  const given = {
    minTime: from,
    ...(to !== undefined && { maxTime: to }),
    ...(zone !== undefined && { zone }),
  };
  const reading = { now: surroundings.clock.now(), direction: "back" } as const;
  return timeRangeIn(() => zoneOfSchedule(connection, scheduleId), given, reading, ends);
}
