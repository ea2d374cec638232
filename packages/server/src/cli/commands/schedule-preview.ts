import type { Command } from "commander";
import { RequestRefused } from "../../domain/refusals.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { occurrencesFor, type GivenPreview } from "../../operations/schedules/preview-schedule.ts";
import type { OccurrenceView } from "../../operations/schedules/view-occurrence.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { parseMoment } from "../input/moment/moment.ts";
import { readOption } from "../input/read-option.ts";
import {
  recurrenceOf,
  refuseNever,
  withRecurrence,
  withZoneFlag,
  type RecurrenceFlags,
} from "../input/recurrence-flags.ts";
import { wrongRecurrence } from "../input/wrong-recurrence.ts";
import { zoneOf } from "../input/zone-option.ts";
import { occurrenceRows } from "../print/occurrences.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { paintFor } from "../terminal/colours.ts";
import { jsonText } from "../terminal/json-text.ts";
import { columnsOf } from "../terminal/look.ts";

interface PreviewFlags extends RecurrenceFlags {
  readonly from?: string;
  readonly count: string;
  readonly json?: boolean;
}

export function addSchedulePreview(schedule: Command, surroundings: Surroundings): void {
  const { stdout, stderr, env, clock } = surroundings;
  const command = schedule
    .command("preview")
    .description("when a schedule would be due; computed here, no service is called");
  withZoneFlag(withRecurrence(command, "--from"), "UTC")
    .option("--from <time>", "only what comes after this time (default: now)")
    .option("--count <number>", "how many, 1 to 100", "5")
    .option("--json", "print the answer of POST /v1/schedules/preview")
    .addHelpText(
      "after",
      examples(
        [
          'postdate schedule preview --cron "0 9 * * MON-FRI" --zone Europe/Berlin',
          "the next five mornings of work",
        ],
        [
          'postdate schedule preview --cron "0 18 LW * *" --count 12',
          "the ends of a year's months",
        ],
        ["postdate schedule preview --every 90m --from 2027-01-01T00:00:00Z", "every 90 minutes"],
      ),
    )
    .action((flags: PreviewFlags) => {
      refuseNever(command, flags);
      const now = clock.now();
      const zone = zoneOf(flags, surroundings).forOutput;
      const { fields, understood } = recurrenceOf(flags, { now, zone: () => zone });
      const from =
        flags.from === undefined
          ? undefined
          : readOption("--from", flags.from, (text) =>
              parseMoment(text, { now, direction: "ahead", zone: () => zone }),
            );
      const count = readCount(flags.count);
      const occurrences = previewed({ ...fields, from: from?.text, count }, surroundings);
      const isForPeople = flags.json !== true;
      for (const { text, isSurprise } of understood) {
        if (isForPeople || isSurprise) stderr.write(`${text}\n`);
      }
      const look = { paint: paintFor(stdout, env), now, columns: columnsOf(stdout) };
      const shown = { occurrences, zoneName: zone.name, zone, after: from?.time ?? now };
      stdout.write(isForPeople ? occurrenceRows(shown, look) : jsonText({ occurrences }, 2));
    });
}

/** What the operation refuses is wrong usage here. */
function previewed(given: GivenPreview, { clock }: Surroundings): readonly OccurrenceView[] {
  try {
    return occurrencesFor({ timeZones: new TimeZones(), clock }, given);
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    throw wrongRecurrence(given, error.problems);
  }
}

function readCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= 100) return count;
  throw new CommandFailed(exitCodes.usage, `--count must be 1 to 100, not "${text}".`);
}
