import type { Figure } from "./figure.ts";

/** Machines differ and are never quiet. Only a large difference says something about the code. */
const alarmingShare = 0.5;

/** A sentence if a ratio is less than half of its bound. Plain times and sizes never count. */
export function whyTooSlow({ name, comparison, wanted }: Figure): string | undefined {
  if (comparison === undefined || wanted === undefined || !("atLeast" in wanted)) return undefined;
  const least = wanted.atLeast * alarmingShare;
  if (comparison.ratio >= least) return undefined;
  return (
    `${name}: ${comparison.ratio.toFixed(2)} of ${comparison.name}, less than ${least.toFixed(2)}, ` +
    `which is half of the ${wanted.atLeast.toFixed(2)} that is wanted.`
  );
}
