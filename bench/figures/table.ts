import { isReached } from "./figure.ts";
import type { Figure, Wanted } from "./figure.ts";

const headings = ["", "measured", "limit", "ratio", "turns", "wanted", ""];

export function tableOf(figures: readonly Figure[]): string {
  const rows = [headings, ...figures.map(rowOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function rowOf(figure: Figure): string[] {
  const { name, unit, value, comparison, wanted } = figure;
  const reached = isReached(figure);
  return [
    comparison === undefined ? name : `${name} ÷ ${comparison.name}`,
    `${plain(value)} ${unit}`,
    comparison === undefined ? "" : plain(comparison.value),
    comparison === undefined ? "" : comparison.ratio.toFixed(2),
    comparison === undefined ? "" : spread(comparison.ratios),
    wanted === undefined ? "" : boundOf(wanted),
    reached === undefined ? "" : reached ? "reached" : "NOT REACHED",
  ];
}

function spread(ratios: readonly number[]): string {
  return `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
}

function boundOf(wanted: Wanted): string {
  return "atLeast" in wanted ? `≥ ${wanted.atLeast}` : `≤ ${plain(wanted.atMost)}`;
}

/** Three digits, or whole numbers: the measurement is not more precise. */
export function plain(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}
