import { median, ratiosOf } from "./medians.ts";

/** The limit that the figure is compared with. Both take turns in the same run. */
export interface Comparison {
  readonly name: string;
  readonly value: number;
  /** The median of the ratios of the turns. */
  readonly ratio: number;
  readonly ratios: readonly number[];
}

/** A bound of the ratio if there is a comparison, otherwise of the value. */
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

/** Undefined if there is no bound. */
export function isReached({ value, comparison, wanted }: Figure): boolean | undefined {
  if (wanted === undefined) return undefined;
  const judged = comparison?.ratio ?? value;
  return "atLeast" in wanted ? judged >= wanted.atLeast : judged <= wanted.atMost;
}
