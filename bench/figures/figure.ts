import { median, ratiosOf } from "./medians.ts";

/** What it is compared with, in the same run and in turns. */
export interface Comparison {
  readonly name: string;
  readonly value: number;
  /** The median of the ratios of single turns. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

/** Of the ratio where there is a comparison, else of the value. */
export type Wanted = { readonly atLeast: number } | { readonly atMost: number };

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly comparison?: Comparison;
  readonly wanted?: Wanted | undefined;
}

export function comparedFigure(
  { name, unit, wanted }: Pick<Figure, "name" | "unit" | "wanted">,
  values: readonly number[],
  limit: { readonly name: string; readonly values: readonly number[] },
): Figure {
  const ratios = ratiosOf(values, limit.values);
  const comparison = {
    name: limit.name,
    value: median(limit.values),
    ratio: median(ratios),
    ratios,
  };
  return { name, unit, value: median(values), comparison, wanted };
}

/** undefined where nothing is wanted. */
export function isReached({ value, comparison, wanted }: Figure): boolean | undefined {
  if (wanted === undefined) return undefined;
  const judged = comparison?.ratio ?? value;
  return "atLeast" in wanted ? judged >= wanted.atLeast : judged <= wanted.atMost;
}
