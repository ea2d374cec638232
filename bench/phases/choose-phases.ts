import type { BenchOptions } from "../options.ts";
import type { Phase } from "../phase.ts";
import { consoleTour } from "./console.ts";
import { cost } from "./cost.ts";
import { drain } from "./drain.ts";
import { eventCost } from "./event-cost.ts";
import { events } from "./events.ts";
import { hangingTarget, unevenTargets } from "./isolation.ts";
import { jobs } from "./jobs.ts";
import { lateness } from "./lateness.ts";
import { pending } from "./pending.ts";
import { scheduleBatches } from "./schedule-batches.ts";
import { scheduleSingle } from "./schedule-single.ts";
import { scheduleThroughClient } from "./schedule-through-client.ts";
import { scheduleWithOptions } from "./schedule-with-options.ts";
import { schedules } from "./schedules.ts";
import { soak } from "./soak.ts";
import { schedulesAtRest } from "./schedules-at-rest.ts";
import { statistics } from "./statistics.ts";
import { surface } from "./surface.ts";

const everyPhase: readonly Phase[] = [
  scheduleSingle,
  scheduleBatches,
  scheduleThroughClient,
  scheduleWithOptions,
  drain,
  lateness,
  hangingTarget,
  unevenTargets,
  jobs,
  schedules,
  schedulesAtRest,
  events,
  eventCost,
  cost,
  pending,
  statistics,
  consoleTour,
  surface,
  soak,
];

const withBacklog: readonly Phase[] = [pending, statistics, consoleTour];

/** They take minutes, or need what not every machine has. */
const onRequest: ReadonlySet<Phase> = new Set([schedulesAtRest, surface, soak]);

/** The phases that were asked for, or all that are usual. Phases with a large backlog need its size. */
export function choosePhases({ phases, pending: size }: BenchOptions): readonly Phase[] {
  const unknown = phases?.find((name) => !everyPhase.some((phase) => phase.name === name));
  if (unknown !== undefined) {
    const known = everyPhase.map(({ name }) => name).join(", ");
    throw new Error(`--phases: there is no ${unknown}, only ${known}`);
  }
  const needy = withBacklog.find(({ name }) => phases?.includes(name) === true);
  if (needy !== undefined && size === null) {
    throw new Error(`--phases ${needy.name} needs --pending with how many, such as 1000000`);
  }
  if (phases !== null) return everyPhase.filter(({ name }) => phases.includes(name));
  const usual = everyPhase.filter((phase) => !onRequest.has(phase));
  return usual.filter((phase) => !withBacklog.includes(phase) || size !== null);
}
