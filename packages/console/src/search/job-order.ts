import type { JobFilter, JobInput } from "@postdate/client";
import type { Search } from "./qualifiers.ts";

type Action = JobInput["action"];

/** Messages that a job can be about, and what it can do with them. */
export interface JobOrder {
  readonly filter: JobFilter;
  readonly actions: readonly [Action, ...Action[]];
}

export const forScheduled = ["cancel", "reschedule", "shift"] as const;
export const forDead = ["redrive"] as const;

/** A job for all that a search finds; or, as a text, why there can be none. */
export function jobOrderOf(search: Search): JobOrder | string {
  if (search.kind === "due") {
    const { targetId, range } = search;
    return { filter: { targetId, ...isoRange(range) }, actions: forScheduled };
  }
  if (search.kind === "dead") return { filter: { targetId: search.targetId }, actions: forDead };
  if (search.kind !== "find") return "A job needs a search.";
  const { targetId, labels, scheduleId, key, state, minTime, maxTime } = search.query;
  const states = [state ?? []].flat();
  if (states.length !== 1 || !(states[0] === "SCHEDULED" || states[0] === "DEAD_LETTER")) {
    return "To act on all that match, say state:scheduled or state:dead.";
  }
  if (targetId === undefined && labels === undefined && scheduleId === undefined) {
    return "To act on all that match, name a target, a label or a schedule.";
  }
  if (key !== undefined || minTime !== undefined || maxTime !== undefined) {
    return "A job cannot go by key: or scheduled:. Use due: beside target: instead.";
  }
  return {
    filter: {
      ...(targetId !== undefined && { targetId }),
      ...(labels !== undefined && { labels }),
      ...(scheduleId !== undefined && { scheduleId }),
    },
    actions: states[0] === "SCHEDULED" ? forScheduled : forDead,
  };
}

function isoRange(range: Extract<Search, { kind: "due" }>["range"]) {
  const { minTime, maxTime } = range;
  return {
    ...(minTime !== undefined && { minTime: new Date(minTime).toISOString() }),
    ...(maxTime !== undefined && { maxTime: new Date(maxTime).toISOString() }),
  };
}
