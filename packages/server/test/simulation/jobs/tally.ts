import type { JobWorldRun } from "./play-job-world.ts";

/** What happened in worlds with jobs, in numbers. */
export type JobTally = Readonly<Record<"worlds" | "jobs" | "stops" | "faults", number>>;

export const noJobWorlds: JobTally = { worlds: 0, jobs: 0, stops: 0, faults: 0 };

export function jobTallyOf({ jobs, stops, faults }: JobWorldRun): JobTally {
  return { worlds: 1, jobs, stops, faults };
}

export function jobsTogether(one: JobTally, other: JobTally): JobTally {
  return {
    worlds: one.worlds + other.worlds,
    jobs: one.jobs + other.jobs,
    stops: one.stops + other.stops,
    faults: one.faults + other.faults,
  };
}

export function describeJobTally({ worlds, jobs, stops, faults }: JobTally): string {
  return `${worlds} worlds with jobs, ${jobs} jobs, ${stops} stops, ${faults} faults`;
}
