import type { Zone } from "../../../domain/time-zones/time-zone.ts";
import {
  offsetText,
  wallText,
  wallTimeAt,
  type ClockReading,
  type WallTime,
} from "../../../domain/time-zones/wall-time.ts";
import { exactRelativeTime, relativeTime } from "../../terminal/relative-time.ts";

/** An instant, and how far from now the user said it is; null if the user named a time. */
export interface ShownMoment {
  readonly time: number;
  readonly fromNowMs: number | null;
}

/**
 * A moment as the clocks of the zone show it: `2027-01-01T09:00:00+01:00 (Europe/Berlin, in 3 d 4 h)`. A
 * distance that the user gave is shown exactly.
 */
export function momentText({ time, fromNowMs }: ShownMoment, now: number, zone: Zone): string {
  const distance = fromNowMs === null ? relativeTime(time - now) : exactRelativeTime(fromNowMs);
  return `${zonedText(time, zone)} (${zone.name}, ${distance})`;
}

/** What was chosen because clocks change then; null if they do not. */
export function clockChangeText(
  wallTime: WallTime,
  { time, change }: ClockReading,
  zone: Zone,
): string | null {
  if (change === null) return null;
  const shown = wallText(wallTime).replace("T", " ");
  if (change.kind === "gap") {
    const [from, to] = [clockText(change.from), clockText(change.to)];
    return `In ${zone.name} there is no ${shown}: clocks go from ${from} to ${to}. Taken as ${to}.`;
  }
  const [first, second] = [zonedText(time, zone), zonedText(change.second, zone)];
  return `In ${zone.name} ${shown} comes twice, because clocks go back. Taken as the first, ${first}. The second is ${second}.`;
}

/** RFC 3339 with the offset of the zone. Offsets with seconds, of long ago, have no such form: then UTC. */
function zonedText(time: number, zone: Zone): string {
  const offsetMs = zone.offsetMsAt(time);
  if (offsetMs === 0 || offsetMs % 60_000 !== 0) return `${wallText(time)}Z`;
  return `${wallText(wallTimeAt(time, zone))}${offsetText(offsetMs)}`;
}

function clockText(wallTime: WallTime): string {
  return wallText(wallTime).slice(11).replace(/:00$/, "");
}
