import { occurrencesOf } from "../../domain/schedules/occurrences/occurrences.ts";
import type { Occurrence } from "../../domain/schedules/occurrences/occurrence.ts";
import type { Problem } from "../../domain/refusals.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import { offsetText, readClock, wallText } from "../../domain/time-zones/wall-time.ts";
import { readRecurrence } from "../../operations/schedules/given-recurrence.ts";
import type { GivenRecurrence } from "../../operations/schedules/given-recurrence.ts";

/** The zone and the two nights of the table in `docs/guides/recurring-schedules.md`. */
const timeZone = "Europe/Berlin";
const nights = ["2026-03-29", "2026-10-25"] as const;

interface Example extends GivenRecurrence {
  readonly written: string;
}

const examples: readonly Example[] = [
  { written: '`--cron "0 9 * * *"`', cron: "0 9 * * *" },
  { written: '`--cron "30 2 * * *"`', cron: "30 2 * * *" },
  { written: '`--cron "0,30 2 * * *"`', cron: "0,30 2 * * *" },
  { written: '`--cron "0 1-4 * * *"`', cron: "0 1-4 * * *" },
  { written: '`--cron "*/30 2 * * *"`', cron: "*/30 2 * * *" },
  { written: "`--at` with 02:30 of that day", at: nights.map((night) => `${night}T02:30`) },
  {
    written: "`--every 1d`, since a 02:30 in winter",
    everyMs: 86_400_000,
    startTime: "2026-01-01T02:30:00+01:00",
  },
];

/** The rows of the table that shows what schedules do where clocks change, as the code computes it. */
export function daylightSavingTable(): string {
  const heading = `| Schedule | Runs on ${nights.join(" | Runs on ")} |\n|---|---|---|`;
  const rows = examples.map(
    (example) =>
      `| ${example.written} | ${nights.map((night) => runsOn(night, example)).join(" | ")} |`,
  );
  return [heading, ...rows].join("\n");
}

/** What the guide says between these marks is this table. */
export function withDaylightSavingTable(guide: string): string {
  return guide.replace(
    /(<!-- daylight-saving: npm run docs:reference -->\n\n)[^]*?(<!-- end -->)/,
    (_all, begin: string, end: string) => `${begin}${daylightSavingTable()}\n\n${end}`,
  );
}

function runsOn(night: string, given: GivenRecurrence): string {
  const timeZones = new TimeZones();
  const zone = timeZones.find(timeZone)!;
  const midnight = Date.parse(`${night}T00:00:00Z`);
  const [begin, end] = [midnight, midnight + 86_400_000].map((time) => readClock(time, zone).time);
  const problems: Problem[] = [];
  const recurrence = readRecurrence(timeZones, { ...given, timeZone }, begin!, problems);
  if (recurrence === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  const texts = [];
  for (const occurrence of occurrencesOf(recurrence, begin!)) {
    if (occurrence.time >= end!) break;
    texts.push(runText(occurrence));
  }
  return texts.length === 0 ? "none" : texts.join(", ");
}

/** `03:00 (+02:00, gap)` */
function runText({ wallTime, offsetMs, mark }: Occurrence): string {
  const notes = [offsetText(offsetMs), ...(mark === null ? [] : [mark])];
  return `${wallText(wallTime).slice(11, 16)} (${notes.join(", ")})`;
}
