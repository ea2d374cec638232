import type { Occurrence } from "@postdate/client";
import { nextClockChange } from "../../domain/time-zones/clock-change.ts";
import type { Zone } from "../../domain/time-zones/time-zone.ts";
import { offsetText, wallText } from "../../domain/time-zones/wall-time.ts";
import type { Look } from "../terminal/look.ts";
import { timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { wrapped } from "../terminal/wrapped.ts";

export interface ShownOccurrences {
  readonly occurrences: readonly Readonly<Occurrence>[];
  readonly zoneName: string;
  /** Undefined if only the service knows it: then nothing is said about its changes. */
  readonly zone: Zone | undefined;
  /** Where the occurrences and the next change of clocks are looked for. */
  readonly after: number;
  /** The times of those that are skipped. */
  readonly skips?: readonly string[];
}

const notes = {
  gap: "gap: clocks skip the time that is named; this is the end of the gap",
  fold: "fold: clocks show this time twice",
};
const firstAfterChange = "the first after clocks change";
/** Longer than a year, so that a change which comes yearly is found. */
const farMs = 400 * 86_400_000;

export function occurrenceRows(shown: ShownOccurrences, look: Look): string {
  const { occurrences, zoneName, zone, after } = shown;
  const noted = occurrences.map((_occurrence, index) => notesOn(shown, index).join("; "));
  const hasNotes = noted.some((note) => note !== "");
  const titles = [`LOCAL (${zoneName})`, "UTC", ...(hasNotes ? ["NOTE"] : [])];
  const rows = occurrences.map(({ time, localTime, offset }, index) => {
    const note = noted[index]!;
    const cells = [localTime + offset, timeCell(time, look.now)];
    return hasNotes ? [...cells, note === "" ? "" : look.paint("yellow", note)] : cells;
  });
  const shortenable = hasNotes ? ["NOTE"] : [];
  const table = tableOf({ titles, rows, shortenable }, look);
  if (zone === undefined) return table;
  const change = changeText(zone, after);
  const lines = look.columns === null ? [change] : wrapped(change, look.columns);
  return `${table}${lines.join("\n")}\n`;
}

function notesOn({ occurrences, zone, after, skips = [] }: ShownOccurrences, at: number): string[] {
  const { time, offset, mark } = occurrences[at]!;
  const offsetNow = zone === undefined ? offset : offsetText(zone.offsetMsAt(after));
  const offsetBefore = occurrences[at - 1]?.offset ?? offsetNow;
  const isFirst = mark === null && offset !== offsetBefore;
  return [
    ...(skips.includes(time) ? ["skipped"] : []),
    ...(mark === null ? [] : [notes[mark]]),
    ...(isFirst ? [firstAfterChange] : []),
  ];
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
