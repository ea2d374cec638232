import type { Activity, Target } from "@postdate/client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { activityQuery } from "../../api/queries.ts";

/** So many targets are asked for how they do: each is a request. */
const mostTargets = 20;
/** A share of failures that nobody has to look at: retries take care of it. */
const usualShare = 0.1;

export interface FailingTarget {
  readonly targetId: string;
  readonly failed: number;
  readonly attempts: number;
}

/** Targets that did not take what they were sent in the last hour. Only asked for if anything has failed at all. */
export function useFailingTargets(targets: readonly Target[]) {
  const all = useQuery(activityQuery());
  const isAnyFailed = all.data !== undefined && failedOf(all.data) > 0;
  const asked = isAnyFailed ? targets.slice(0, mostTargets) : [];
  const found = useQueries({
    queries: asked.map(({ targetId }) => activityQuery(targetId)),
  });
  const failing = found.flatMap(({ data }, index): FailingTarget[] => {
    if (data === undefined) return [];
    const failed = failedOf(data);
    const { attempts } = data.total;
    return failed > attempts * usualShare
      ? [{ targetId: asked[index]!.targetId, failed, attempts }]
      : [];
  });
  return {
    failing: failing.toSorted((one, other) => other.failed - one.failed),
    isNoneFailed: all.data !== undefined && !isAnyFailed,
  };
}

function failedOf({ total: { attempts, outcomes } }: Activity): number {
  return attempts - (outcomes["DELIVERED"] ?? 0);
}
