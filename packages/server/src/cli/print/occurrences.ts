import { nextClockChange } from "../../domain/time-zones/clock-change.ts";
import type { Zone } from "../../domain/time-zones/time-zone.ts";
import { offsetText, wallText } from "../../domain/time-zones/wall-time.ts";
import type { OccurrenceView } from "../../operations/schedules/view-occurrence.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

export interface ShownOccurrences {
  readonly occurrences: readonly OccurrenceView[];
  readonly zone: Zone;
  /** Where the occurrences and the next change of clocks are looked for. */
  readonly after: number;
}

const notes = {
  gap: "gap: clocks skip the time that is named; this is the end of the gap",
  fold: "fold: clocks show this time twice",
};
/** Longer than a year, so that a change which comes yearly is found. */
const farMs = 400 * 86_400_000;

export function occurrenceRows({ occurrences, zone, after }: ShownOccurrences, look: Look): string {
  const rows = occurrences.map(({ time, localTime, offset, mark }) => [
    localTime + offset,
    timeCell(time, look.now),
    mark === null ? "" : look.paint("yellow", notes[mark]),
  ]);
  const hasNotes = occurrences.some(({ mark }) => mark !== null);
  const titles = [`LOCAL (${zone.name})`, "UTC", ...(hasNotes ? ["NOTE"] : [])];
  const shown = rows.map((row) => row.slice(0, titles.length));
  const table = tableOf({ titles, rows: shown, shortenable: ["NOTE"] }, look);
  return `${table}${changeText(zone, after)}\n`;
}

function changeText(zone: Zone, after: number): string {
  const change = nextClockChange(zone, after, after + farMs);
  if (change === undefined) return `Clocks in ${zone.name} do not change within a year.`;
  const { time, beforeMs, afterMs } = change;
  const [from, to] = [time + beforeMs, time + afterMs].map((wallTime) =>
    wallText(wallTime).replace("T", " "),
  );
  return `Clocks in ${zone.name} change next from ${from} to ${to} (${offsetText(beforeMs)} to ${offsetText(afterMs)}).`;
}
