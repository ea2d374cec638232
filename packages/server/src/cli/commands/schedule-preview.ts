import type { Command } from "commander";
import { parseDuration } from "../../config/durations.ts";
import { InvalidValue } from "../../config/invalid-value.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { parseCron } from "../../domain/schedules/cron/parse-cron.ts";
import { previewSchedule } from "../../operations/schedules/preview-schedule.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { examples } from "../help/help-text.ts";
import { parseMoment, type Moment } from "../input/moment/moment.ts";
import { collect, readOption } from "../input/read-option.ts";
import { zoneOf } from "../input/zone-option.ts";
import { occurrenceRows } from "../print/occurrences.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { paintFor } from "../terminal/colours.ts";
import { jsonText } from "../terminal/json-text.ts";
import { columnsOf } from "../terminal/look.ts";

interface PreviewFlags {
  readonly cron?: readonly string[];
  readonly every?: string;
  readonly at?: readonly string[];
  readonly zone: string;
  readonly start?: string;
  readonly end?: string;
  readonly except?: readonly string[];
  readonly from?: string;
  readonly count: string;
  readonly json?: boolean;
}

const shortestIntervalMs = 1_000;
const longestIntervalMs = 366 * 86_400_000;

/** The options for the fields of the API that have other names. */
const optionOf: Readonly<Record<string, string>> = {
  everyMs: "--every",
  timeZone: "--zone",
  startTime: "--start",
  endTime: "--end",
};

export function addSchedulePreview(schedule: Command, surroundings: Surroundings): void {
  const { stdout, env, clock } = surroundings;
  schedule
    .command("preview")
    .description("when a schedule would be due; computed here, no service is called")
    .option("--cron <expression>", "minute, hour, day, month, weekday; repeatable: any", collect)
    .option("--every <duration>", "an interval such as 90m, counted from --start or --from")
    .option("--at <time>", "a local date and time such as 2027-01-01T09:00; repeatable", collect)
    .option("--zone <zone>", "the time zone of the schedule, such as Europe/Berlin", "UTC")
    .option("--start <time>", 'nothing before this time: 2027-01-01T09:00:00Z, "monday 9:00", 1h')
    .option("--end <time>", "nothing after this time, written in the same ways")
    .option("--except <time>", "a local date, or date and time, to leave out; repeatable", collect)
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
      const now = clock.now();
      const zone = zoneOf(flags, surroundings).forOutput;
      const momentOf = (name: string, text: string | undefined): Moment | undefined =>
        text === undefined
          ? undefined
          : readOption(name, text, (given) =>
              parseMoment(given, { now, direction: "ahead", zone: () => zone }),
            );
      const from = momentOf("--from", flags.from);
      const occurrences = previewed(flags, () =>
        previewSchedule(
          { timeZones: new TimeZones(), clock },
          {
            cron: flags.cron?.length === 1 ? flags.cron[0] : flags.cron,
            everyMs:
              flags.every === undefined
                ? undefined
                : readOption("--every", flags.every, parseInterval),
            at: flags.at,
            timeZone: flags.zone,
            startTime: momentOf("--start", flags.start)?.text,
            endTime: momentOf("--end", flags.end)?.text,
            except: flags.except,
            from: from?.text,
            count: readCount(flags.count),
          },
        ),
      );
      const look = { paint: paintFor(stdout, env), now, columns: columnsOf(stdout) };
      stdout.write(
        flags.json === true
          ? jsonText({ occurrences }, 2)
          : occurrenceRows({ occurrences, zone, after: from?.time ?? now }, look),
      );
    });
}

/** What the operation refuses is wrong usage here. */
function previewed<Answer>({ cron = [] }: PreviewFlags, preview: () => Answer): Answer {
  try {
    return preview();
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    const problems = error.problems.map(({ code, message, field = "" }) => {
      const [name = ""] = field.split("[", 1);
      return { code, message, field: optionOf[name] ?? `--${name}` };
    });
    const lines = problems.map(({ code, message, field }) => `${code}: ${message} (${field})`);
    throw new CommandFailed(exitCodes.usage, ...cron.flatMap(pointed), ...lines).because(problems);
  }
}

/** The expression, and below it a mark under the character that is wrong. */
function pointed(text: string): string[] {
  const parsed = parseCron(text);
  return parsed.ok ? [] : [`  ${text}`, `  ${" ".repeat(parsed.at)}^`];
}

function parseInterval(text: string): number {
  const everyMs = parseDuration(text);
  if (everyMs >= shortestIntervalMs && everyMs <= longestIntervalMs) return everyMs;
  throw new InvalidValue(`must be 1s to 366d, not "${text}"`);
}

function readCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= 100) return count;
  throw new CommandFailed(exitCodes.usage, `--count must be 1 to 100, not "${text}".`);
}
