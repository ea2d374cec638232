import type { Instant } from "../instant.ts";
import { stretchesBetween } from "./stretch.ts";
import type { Stretch } from "./stretch.ts";

/** A time zone, by its IANA name. */
export interface Zone {
  readonly name: string;
  /** How far its clocks are ahead of UTC at this instant. */
  offsetMsAt(time: Instant): number;
  /** A stretch with this instant in it. It ends where clocks change, or earlier. */
  stretchAt(time: Instant): Stretch;
}

/** Clocks do not change twice in so short a time, so the offsets at its two ends tell whether they change. */
const chunkMs = 8 * 86_400_000;
/** More than fifty years. */
const mostChunks = 2_500;

/** Undefined if there is no zone of this name. */
export function findZone(name: string): Zone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  const readOffset = (time: Instant): number => offsetMsOf(format.format(time));
  const chunks = new Map<number, readonly Stretch[]>();
  const stretchAt = (time: Instant): Stretch => {
    const chunk = Math.floor(time / chunkMs);
    let stretches = chunks.get(chunk);
    if (stretches === undefined) {
      stretches = stretchesBetween(chunk * chunkMs, (chunk + 1) * chunkMs, readOffset);
      if (chunks.size >= mostChunks) chunks.clear();
      chunks.set(chunk, stretches);
    }
    return stretches.length === 1 ? stretches[0]! : stretches.find(({ until }) => time < until)!;
  };
  return {
    name: shownName(name, format.resolvedOptions().timeZone),
    offsetMsAt: (time) => stretchAt(time).offsetMs,
    stretchAt,
  };
}

/** Some zones were renamed, and `Intl` answers with the old name, which nobody asked for. */
function shownName(given: string, resolved: string): string {
  return given.toLowerCase() === resolved.toLowerCase() || resolved === "UTC" ? resolved : given;
}

const always: Stretch = { from: -Infinity, until: Infinity, offsetMs: 0 };

export const utc: Zone = { name: "UTC", offsetMsAt: () => 0, stretchAt: () => always };

/** Reads what follows the date: `GMT`, `GMT+05:30` and, from before standard time, `GMT+00:53:28`. */
function offsetMsOf(text: string): number {
  const at = text.indexOf("GMT") + 3;
  if (at === text.length) return 0;
  const seconds =
    (numberAt(text, at + 1) * 60 + numberAt(text, at + 4)) * 60 +
    (text.length > at + 6 ? numberAt(text, at + 7) : 0);
  return (text[at] === "-" ? -1 : 1) * seconds * 1_000;
}

function numberAt(text: string, at: number): number {
  return Number(text.slice(at, at + 2));
}
