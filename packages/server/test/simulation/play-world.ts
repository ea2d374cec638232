import { playJobWorld } from "./jobs/play-job-world.ts";
import { jobTallyOf } from "./jobs/tally.ts";
import type { JobTally } from "./jobs/tally.ts";
import { playScheduleWorld } from "./schedules/play-schedule-world.ts";
import type { ScheduleTally } from "./schedules/tally.ts";
import { tallyOf } from "./world/tally.ts";
import type { Tally } from "./world/tally.ts";
import { explain, trySeed } from "./world/try-seed.ts";
import type { ScenarioKind } from "./world/try-seed.ts";

/**
 * Worlds in which messages are scheduled one by one, with faults to the end or not, or with readers and webhooks that
 * are told of everything; worlds with schedules, in which callers ask for past runs, or messages often
 * become dead letters, or neither; and worlds with jobs.
 */
export const worldKinds = [
  "safety",
  "liveness",
  "events",
  "schedules",
  "backfills",
  "dead-letters",
  "jobs",
] as const satisfies (ScenarioKind | ScheduleWorldKind | "jobs")[];

type ScheduleWorldKind = "schedules" | "backfills" | "dead-letters";

export type WorldKind = (typeof worldKinds)[number];

export interface PlayedWorld {
  readonly traceHash: string;
  /** What broke, for a person to read; undefined: every promise was kept. */
  readonly why: string | undefined;
  readonly tally: Tally | undefined;
  readonly scheduleTally: ScheduleTally | undefined;
  readonly jobTally: JobTally | undefined;
}

const mostProblems = 5;

export async function playWorld(seed: string, kind: WorldKind): Promise<PlayedWorld> {
  const others = { tally: undefined, scheduleTally: undefined, jobTally: undefined };
  if (kind === "jobs") {
    const run = await playJobWorld(seed, { selfCheck: true });
    const why = whyOf(run.problems, seed, kind);
    return { ...others, traceHash: run.traceHash, why, jobTally: jobTallyOf(run) };
  }
  if (kind === "schedules" || kind === "backfills" || kind === "dead-letters") {
    const { problems, traceHash, tally } = await playScheduleWorld(seed, {
      selfCheck: true,
      backfills: kind === "backfills",
      deadLetters: kind === "dead-letters",
    });
    return { ...others, traceHash, why: whyOf(problems, seed, kind), scheduleTally: tally };
  }
  const { run, faults } = await trySeed(seed, kind);
  const why = faults.length === 0 ? undefined : await explain(seed, kind);
  return { ...others, traceHash: run.traceHash, why, tally: tallyOf(run) };
}

function whyOf(problems: readonly string[], seed: string, kind: WorldKind): string | undefined {
  if (problems.length === 0) return undefined;
  const again = `again: npm run simulate -- --mode ${kind} --seed ${seed}`;
  return [...problems.slice(0, mostProblems), again].join("\n");
}
