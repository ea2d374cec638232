import type { TimeBucket } from "../../domain/time-buckets.ts";
import { utc, type Zone } from "../../domain/time-zones/time-zone.ts";
import { wallText, wallTimeAt } from "../../domain/time-zones/wall-time.ts";
import { parseTime } from "../../domain/times.ts";
import { gap } from "../terminal/aligned.ts";
import { displayWidth } from "../terminal/display-width.ts";
import type { Look } from "../terminal/look.ts";

export interface ChartLine {
  /** When the bucket begins. */
  readonly time: string;
  /** Whether there is nothing to see. */
  readonly isEmpty: boolean;
  /** In the columns behind the bar. */
  readonly figures: readonly string[];
  /** The bar, within this many characters. */
  readonly bar: (width: number) => string;
}

const widestBar = 50;
const narrowestBar = 10;
/** So many empty buckets in a row are shown as one line. */
const longestGap = 3;

/** One line for each bucket: its time, a bar, and figures. */
export function chartOf(
  lines: readonly ChartLine[],
  { bucket, zone }: { readonly bucket: TimeBucket; readonly zone: Zone },
  look: Look,
): string {
  const figureWidths = (lines[0]?.figures ?? []).map((_, column) =>
    Math.max(...lines.map(({ figures }) => displayWidth(figures[column]!))),
  );
  const labels = lines.map(({ time }) => bucketLabel(time, bucket, zone));
  const labelWidth = Math.max(0, ...labels.map(displayWidth));
  const taken = labelWidth + figureWidths.reduce((sum, width) => sum + gap.length + width, 0);
  const room = (look.columns ?? 100) - taken - 2 * gap.length;
  const width = Math.max(narrowestBar, Math.min(widestBar, room));
  return emptyRuns(lines)
    .map((run) => {
      if (run.length > longestGap) return look.paint("dim", `${" ".repeat(labelWidth - 1)}⋮\n`);
      return run.map((at) => lineText(at)).join("");
    })
    .join("");

  function lineText(at: number): string {
    const { figures, bar } = lines[at]!;
    const shown = figures.map((figure, column) => figure.padStart(figureWidths[column]!));
    return `${[labels[at]!.padEnd(labelWidth), ...shown, bar(width)].join(gap).trimEnd()}\n`;
  }
}

/** The indexes of the lines, empty neighbours together. */
function emptyRuns(lines: readonly ChartLine[]): number[][] {
  const runs: number[][] = [];
  for (const [at, { isEmpty }] of lines.entries()) {
    const goesOn = isEmpty && at > 0 && lines[at - 1]!.isEmpty;
    if (goesOn) runs.at(-1)!.push(at);
    else runs.push([at]);
  }
  return runs;
}

/** Days are days of UTC, so a clock elsewhere would only show an odd hour. */
function bucketLabel(text: string, bucket: TimeBucket, zone: Zone): string {
  const parsed = parseTime(text);
  if (!parsed.ok) return text;
  const shown = wallText(wallTimeAt(parsed.time, bucket === "day" ? utc : zone));
  return bucket === "day" ? shown.slice(0, 10) : shown.slice(5, 16).replace("T", " ");
}

/** How the times of a chart are to be read. */
export function bucketWords(bucket: TimeBucket, zone: Zone): string {
  return bucket === "day" ? "by day, UTC" : `by ${bucket}, ${zone.name}`;
}
