import type { Move } from "../../world/moves.ts";
import type { Scenario, SimulatedTarget } from "../../world/scenario.ts";
import { seededRandom } from "../../world/seeded-random.ts";
import type { SeededRandom } from "../../world/seeded-random.ts";
import { sunny } from "../../world/simulated-network.ts";

const second = 1_000;
const minute = 60 * second;
/** How often a target's mood changes on average, but not more often than so many times. */
const moodMs = 3 * minute;
const mostMoods = 60;

/**
 * The same world with targets that fail in their turns. Some messages are dead letters at once, and others after
 * retries, so that they end in another order than that of their runs.
 */
export function withDeadLetters(scenario: Scenario): Scenario {
  const random = seededRandom(`${scenario.seed}/dead letters`);
  const moves = scenario.moves.filter(({ kind }) => kind !== "mood");
  const moods = scenario.targets.flatMap((target) => moodsOf(random, target, scenario.endsAt));
  return {
    ...scenario,
    targets: scenario.targets.map((target) => ({
      ...target,
      delaysMs: [random.pick([second, 20 * second, 45 * second, 2 * minute])],
      maxAttempts: random.between(1, 4),
    })),
    moves: [...moves, ...moods].toSorted((one, other) => one.at - other.at),
  };
}

function moodsOf(random: SeededRandom, { targetId }: SimulatedTarget, endsAt: number): Move[] {
  const count = Math.min(mostMoods, Math.max(2, Math.floor(endsAt / moodMs)));
  return Array.from({ length: count }, () => {
    const mood = {
      ...sunny,
      delivers: random.pick([0, 0.2, 1]),
      refuses: random.pick([0, 0.3, 1]),
      fails: random.pick([0, 0.5, 2]),
    };
    return { at: Math.floor(random.fraction() * endsAt), kind: "mood", targetId, mood };
  });
}
