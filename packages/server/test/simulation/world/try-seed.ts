import { judge } from "../../history/judge.ts";
import type { Defect } from "./open-world.ts";
import { runScenario } from "./run-scenario.ts";
import type { ScenarioRun } from "./run-scenario.ts";
import { scenarioOf } from "./scenario.ts";
import type { Mode, Scenario } from "./scenario.ts";
import { shrink, story } from "./shrink.ts";

export interface Verdict {
  readonly run: ScenarioRun;
  /** The broken promises, in a few lines each. Empty if there are none. */
  readonly faults: readonly string[];
}

export async function tryScenario(
  scenario: Scenario,
  defects: ReadonlySet<Defect> = new Set(),
): Promise<Verdict> {
  const selfCheck = defects.size === 0;
  const run = await runScenario(scenario, { defects, selfCheck });
  const { violations } = judge(run.history);
  const broken = violations.map(({ title, story: events }) => [title, ...events].join("\n  "));
  return { run, faults: [...run.bugs, ...broken] };
}

export function trySeed(seed: string, mode: Mode): Promise<Verdict> {
  return tryScenario(scenarioOf(seed, mode));
}

/** What a person needs to see of a failed seed: the fewest moves that still fail. */
export async function explain(seed: string, mode: Mode): Promise<string> {
  const fails = async (scenario: Scenario): Promise<boolean> =>
    (await tryScenario(scenario)).faults.length > 0;
  const shortest = await shrink(scenarioOf(seed, mode), fails);
  const { faults, run } = await tryScenario(shortest);
  return [
    ...faults.slice(0, 3),
    "",
    story(shortest),
    `trace ${run.traceHash}`,
    `again: npm run simulate -- --mode ${mode} --seed ${seed}`,
  ].join("\n");
}
