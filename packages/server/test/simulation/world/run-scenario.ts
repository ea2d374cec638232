import type { History } from "../../history/history.ts";
import { historyOf } from "./history-of.ts";
import { makeMove, settle } from "./make-move.ts";
import { openWorld } from "./open-world.ts";
import type { RunOptions } from "./open-world.ts";
import type { Scenario } from "./scenario.ts";

export interface ScenarioRun {
  readonly history: History;
  /** Problems other than broken promises: an unexpected error, or a store that is inconsistent. */
  readonly bugs: readonly string[];
  readonly traceHash: string;
  readonly simulatedMs: number;
  readonly happenings: number;
}

/** Plays a scenario from start to end. The same scenario always gives the same result. */
export async function runScenario(
  scenario: Scenario,
  options: RunOptions = {},
): Promise<ScenarioRun> {
  const { world, database, trace, bounds } = await openWorld(scenario, options);
  const { time, callers } = world;
  let isOver = false;
  for (const move of scenario.moves) {
    // Setting up has taken time, so the last moves may come after the end. Nothing may go wrong there.
    time.after(move.at, () => {
      if (!isOver) makeMove(world, move);
    });
  }
  await time.passUntil(scenario.endsAt);
  isOver = true;
  callers.giveUp();
  const bugs: string[] = [];
  if (scenario.mode === "liveness") {
    await settle(world, scenario, () => database.pending === 0);
    const { pending } = database;
    if (pending > 0) bugs.push(`${pending} messages are still waiting long after all faults ended`);
  }

  await callers.hangUp();
  // Other defects would show here too, but not say what they are.
  const { defects = new Set() } = options;
  const isToldJudged = defects.size === 0 || defects.has("event-committed-apart");
  return {
    history: historyOf({ ...world, scenario, database, engineBounds: bounds, isToldJudged }),
    bugs: [...bugs, ...callers.bugs, ...database.problems],
    traceHash: trace.digest(),
    simulatedMs: time.monotonic(),
    happenings: time.happenings,
  };
}
