import type { History } from "../../history/history.ts";
import { listenInWorld } from "../events/listen-in-world.ts";
import type { Listening } from "../events/listen-in-world.ts";
import { SimulatedWebhooks } from "../events/simulated-webhooks.ts";
import { isToldJudgedWith } from "./event-defects.ts";
import { historyOf } from "./history-of.ts";
import { makeMove, settle } from "./make-move.ts";
import { openWorld } from "./open-world.ts";
import type { RunOptions } from "./open-world.ts";
import type { Scenario } from "./scenario.ts";
import { seededRandom } from "./seeded-random.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export interface ScenarioRun {
  readonly history: History;
  /** Problems other than broken promises: an unexpected error, or a store that is inconsistent. */
  readonly bugs: readonly string[];
  readonly traceHash: string;
  readonly simulatedMs: number;
  readonly happenings: number;
}

export interface ScenarioOptions extends RunOptions {
  /** Whether readers and webhooks follow what is told, to its end. So only faults that end. */
  readonly isListenedTo?: boolean;
}

const minute = 60_000;
/** A webhook that has failed for long is tried again within minutes. */
const mostMinutes = 60;

/** Plays a scenario from start to end. The same scenario always gives the same result. */
export async function runScenario(
  scenario: Scenario,
  { isListenedTo = false, ...options }: ScenarioOptions = {},
): Promise<ScenarioRun> {
  const random = seededRandom(`${scenario.seed}/webhooks`);
  let webhooks: SimulatedWebhooks | undefined;
  const opened = await openWorld(scenario, {
    ...options,
    ...(isListenedTo && {
      webhooksOf: (clock) => (webhooks = new SimulatedWebhooks(clock, random)),
    }),
  });
  const { world, database, trace, bounds } = opened;
  const listening = webhooks && (await listenInWorld(opened, scenario, webhooks));
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
  if (listening !== undefined) await finish(listening, time);
  const { defects = new Set() } = options;
  const isToldJudged = isToldJudgedWith(defects);
  const history = historyOf({ ...world, scenario, database, engineBounds: bounds, isToldJudged });
  return {
    history: listening === undefined ? history : withListeners(history, listening),
    bugs: [...bugs, ...callers.bugs, ...database.problems, ...(listening?.bugs ?? [])],
    traceHash: trace.digest(),
    simulatedMs: time.monotonic(),
    happenings: time.happenings,
  };
}

async function finish(listening: Listening, time: SimulatedTime): Promise<void> {
  listening.finish();
  for (let left = mostMinutes; left > 0 && !listening.isOver(); left--) {
    await time.passUntil(time.monotonic() + minute);
  }
}

function withListeners(history: History, { readers, webhooks }: Listening): History {
  const { events } = history;
  return events === undefined ? history : { ...history, events: { ...events, readers, webhooks } };
}
