import type { Paint, Style } from "./colours.ts";

export interface BarPart {
  readonly style: Style;
  readonly value: number;
  /** What it consists of, so that it can be told from others without colours; a full block by default. */
  readonly fill?: string;
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for one value, as long as its share of the largest one. What is not zero is always seen. */
export function bar(value: number, largest: number, width: number): string {
  if (!(value > 0) || !(largest > 0)) return "";
  const length = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8));
  return "█".repeat(Math.floor(length / 8)) + eighths[length % 8]!;
}

/** Parts of one bar, one after the other, in whole characters. */
export function stackedBar(
  parts: readonly BarPart[],
  largest: number,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): string {
  return parts
    .map(({ style, value, fill = "█" }) => {
      if (!(value > 0) || !(largest > 0)) return "";
      const length = Math.max(1, Math.round((Math.min(value, largest) / largest) * width));
      return paint(style, fill.repeat(length));
    })
    .join("");
}
