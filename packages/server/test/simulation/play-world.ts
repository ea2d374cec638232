import { playScheduleWorld } from "./schedules/play-schedule-world.ts";
import type { ScheduleTally } from "./schedules/tally.ts";
import type { Mode } from "./world/scenario.ts";
import { tallyOf } from "./world/tally.ts";
import type { Tally } from "./world/tally.ts";
import { explain, trySeed } from "./world/try-seed.ts";

/**
 * Worlds in which messages are scheduled one by one, with faults to the end or not, and worlds with schedules, in
 * which callers ask for past runs or not.
 */
export const worldKinds = ["safety", "liveness", "schedules", "backfills"] as const satisfies (
  | Mode
  | "schedules"
  | "backfills"
)[];

export type WorldKind = (typeof worldKinds)[number];

export interface PlayedWorld {
  readonly traceHash: string;
  /** What broke, for a person to read; undefined: every promise was kept. */
  readonly why: string | undefined;
  readonly tally: Tally | undefined;
  readonly scheduleTally: ScheduleTally | undefined;
}

const mostProblems = 5;

export async function playWorld(seed: string, kind: WorldKind): Promise<PlayedWorld> {
  if (kind === "schedules" || kind === "backfills") {
    const { problems, traceHash, tally } = await playScheduleWorld(seed, {
      selfCheck: true,
      backfills: kind === "backfills",
    });
    const again = `again: npm run simulate -- --mode ${kind} --seed ${seed}`;
    const why = [...problems.slice(0, mostProblems), again].join("\n");
    const isBroken = problems.length > 0;
    return { traceHash, why: isBroken ? why : undefined, tally: undefined, scheduleTally: tally };
  }
  const { run, faults } = await trySeed(seed, kind);
  const why = faults.length === 0 ? undefined : await explain(seed, kind);
  return { traceHash: run.traceHash, why, tally: tallyOf(run), scheduleTally: undefined };
}
