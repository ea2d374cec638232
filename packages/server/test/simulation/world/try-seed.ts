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
  isListenedTo = false,
): Promise<Verdict> {
  const selfCheck = defects.size === 0;
  const run = await runScenario(scenario, { defects, selfCheck, isListenedTo });
  const { violations } = judge(run.history);
  const broken = violations.map(({ title, story: events }) => [title, ...events].join("\n  "));
  return { run, faults: [...run.bugs, ...broken] };
}

/** Worlds of these scenarios have readers and webhooks. Reading ends only where faults do. */
export type ScenarioKind = Mode | "events";

export function trySeed(seed: string, kind: ScenarioKind): Promise<Verdict> {
  return tryKind(scenarioFor(seed, kind), kind);
}

/** A day is long for those who connect every other second. */
const longestEventsMs = 3_600_000;

function scenarioFor(seed: string, kind: ScenarioKind): Scenario {
  if (kind !== "events") return scenarioOf(seed, kind);
  for (let number = 0; ; number++) {
    const scenario = scenarioOf(`${seed}/${number}`, "liveness");
    if (scenario.endsAt <= longestEventsMs) return scenario;
  }
}

function tryKind(scenario: Scenario, kind: ScenarioKind): Promise<Verdict> {
  return tryScenario(scenario, new Set(), kind === "events");
}

/** What a person needs to see of a failed seed: the fewest moves that still fail. */
export async function explain(seed: string, kind: ScenarioKind): Promise<string> {
  const fails = async (scenario: Scenario): Promise<boolean> =>
    (await tryKind(scenario, kind)).faults.length > 0;
  const shortest = await shrink(scenarioFor(seed, kind), fails);
  const { faults, run } = await tryKind(shortest, kind);
  return [
    ...faults.slice(0, 3),
    "",
    story(shortest),
    `trace ${run.traceHash}`,
    `again: npm run simulate -- --mode ${kind} --seed ${seed}`,
  ].join("\n");
}
