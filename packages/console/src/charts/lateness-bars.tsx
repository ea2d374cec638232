import type { Activity } from "@postdate/client";
import { duration } from "../time/time-text.ts";
import { Bars } from "./bars.tsx";

/** How late attempts began, from the first bucket that has any to the last. */
export function LatenessBars({ activity }: { readonly activity: Activity }) {
  const { boundsMs, total } = activity;
  const { counts, p50Ms, p99Ms } = total.lateness;
  const last = counts.findLastIndex((count) => count > 0);
  const shown = counts.slice(0, Math.max(last + 2, 6));
  const nameOf = (index: number): string =>
    boundsMs[index] === undefined
      ? `over ${duration(boundsMs.at(-1)!)}`
      : `up to ${duration(boundsMs[index])}`;
  return (
    <Bars
      bars={shown.map((value, index) => ({
        label: nameOf(index),
        parts: [{ value, tone: "plain", name: "attempts" }],
      }))}
      summary={
        p50Ms === null
          ? "No attempt began in the last hour."
          : `How late attempts began: half within ${duration(p50Ms)}, 99 of 100 within ${duration(p99Ms!)}.`
      }
      ticks={[nameOf(0), nameOf(shown.length - 1)]}
    />
  );
}
