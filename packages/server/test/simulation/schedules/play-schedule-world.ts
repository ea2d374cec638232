import type { TrackedMessage } from "../../../src/domain/message.ts";
import { TimeZones } from "../../../src/domain/time-zones/time-zones.ts";
import type { Snapshot } from "../model-store/snapshot.ts";
import { judgeTold } from "../world/judge-told.ts";
import { makeMove, settle } from "../world/make-move.ts";
import type { Move, Strike } from "../world/moves.ts";
import { openWorld } from "../world/open-world.ts";
import type { OpenWorld, RunOptions } from "../world/open-world.ts";
import { scenarioOf } from "../world/scenario.ts";
import type { Scenario } from "../world/scenario.ts";
import { seededRandom } from "../world/seeded-random.ts";
import type { SeededRandom } from "../world/seeded-random.ts";
import { excusesOf } from "./judge/excuses.ts";
import { withDeadLetters } from "./draws/with-dead-letters.ts";
import { judgeSchedules } from "./judge/judge-schedules.ts";
import type { RunsMessage } from "./judge/schedule-history.ts";
import { newerVersion, olderVersion, OlderTimeZones } from "./older-time-zones.ts";
import type { Meaning } from "./oracle/meaning.ts";
import { awkwardZones, clockChanges } from "./oracle/zone-clock.ts";
import { ScheduleCaller } from "./schedule-caller.ts";
import { scheduleTallyOf } from "./tally.ts";
import type { ScheduleTally } from "./tally.ts";

export interface ScheduleWorldRun {
  /** Broken promises and unexpected errors. */
  readonly problems: readonly string[];
  readonly traceHash: string;
  readonly tally: ScheduleTally;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const retentionMs = 365 * 24 * hour;

const keptKinds: ReadonlySet<Move["kind"]> = new Set([
  ...(["weather", "crash", "restart", "freeze", "cut-off", "strike", "clock"] as const),
  ...(["account", "target", "mood"] as const),
]);

/**
 * The world of a seed: its nodes and faults are those of an ordinary one, and clocks change while it lasts. If those of
 * its zone never change, a month ends.
 */
interface Plan {
  readonly scenario: Scenario;
  readonly epoch: number;
  readonly zone: string;
  /** The nodes from this one on have older time-zone data. */
  readonly olderFrom: number;
  readonly change: number | null;
  readonly backfills: boolean;
  readonly deadLetters: boolean;
}

export interface ScheduleWorldOptions extends Pick<RunOptions, "defects" | "selfCheck"> {
  /** Whether callers have runs made of times that are past. */
  readonly backfills?: boolean;
  /** Whether messages often become dead letters, and schedules pause themselves for that. */
  readonly deadLetters?: boolean;
}

export async function playScheduleWorld(
  seed: string,
  { backfills = false, deadLetters = false, ...options }: ScheduleWorldOptions = {},
): Promise<ScheduleWorldRun> {
  const planned = planOf(seed);
  const plan: Plan = {
    ...planned,
    ...{ backfills, deadLetters },
    scenario: deadLetters ? withDeadLetters(planned.scenario) : planned.scenario,
  };
  const { scenario, epoch, olderFrom, change } = plan;
  const opened = await openWorld(scenario, {
    ...options,
    epoch,
    timeZonesOf: (node) =>
      node < olderFrom
        ? { timeZones: new TimeZones(), timeZoneVersion: newerVersion }
        : { timeZones: new OlderTimeZones(change!), timeZoneVersion: olderVersion },
  });
  const { world, database, trace } = opened;
  const { time, storeClock, callers } = world;
  const meanings = new Map<string, Meaning>();
  const scheduleCallers = callersOf(seed, plan, opened, meanings);
  const beganAt = time.monotonic();
  for (const move of scenario.moves) time.after(move.at, () => makeMove(world, move));
  for (const caller of scheduleCallers) void caller.begin();
  await time.passUntil(beganAt + scenario.endsAt);
  for (const caller of scheduleCallers) caller.isFinishing = true;
  const settled = time.monotonic() + 2 * minute;
  await settle(world, scenario, () => time.monotonic() > settled);
  await callers.hangUp();
  const snapshot = database.snapshot();
  const problems = [
    ...callers.bugs,
    ...database.problems,
    ...scheduleCallers.flatMap(({ bugs }) => bugs),
    ...lostChanges(scheduleCallers, snapshot),
    ...judgeTold(snapshot, options),
    ...judgeSchedules({
      events: snapshot.scheduleJournal,
      messages: messagesOf(opened, snapshot),
      schedules: snapshot.schedules,
      meanings,
      excuses: excusesOf({
        faults: world.sky.faults,
        managed: callers.managed,
        clockSteps: storeClock.steps,
        makers: makersOf(plan),
      }),
      monthlyLimits: new Map(
        scenario.accounts.flatMap(({ accountId, monthlyLimit }) =>
          monthlyLimit === null ? [] : [[accountId, monthlyLimit]],
        ),
      ),
      usage: snapshot.usage,
      clockErrorMs: 2 * scenario.clockErrorMs,
      setBackMs: storeClock.steps.reduce((sum, { byMs }) => sum + Math.max(0, -byMs), 0),
      beginTime: epoch - hour,
      endTime: storeClock.now(),
    }),
  ];
  return {
    problems,
    traceHash: trace.digest(),
    tally: scheduleTallyOf(snapshot, time.monotonic(), world.sky.faults),
  };
}

function planOf(seed: string): Omit<Plan, "backfills" | "deadLetters"> {
  const random = seededRandom(`${seed}/schedules`);
  const zone = random.pick(awkwardZones);
  const scenario = scheduleScenarioOf(seed, random);
  const changes = clockChanges(zone);
  const change = changes.length === 0 ? null : random.pick(changes);
  const beginsMs = Math.floor(scenario.endsAt * (0.1 + 0.8 * random.fraction()));
  // Not on a full second, as nothing in the world is.
  const epoch = (change ?? Date.UTC(2027, 5)) - beginsMs + random.between(0, second);
  const { nodes, apiNodes, leaseMs } = scenario;
  const mayDiffer = leaseMs !== null && nodes > 1 && apiNodes === 0 && change !== null;
  const isDiffering = mayDiffer && random.happens(0.4);
  if (!isDiffering) return { scenario, epoch, zone, olderFrom: nodes, change };
  // Without the node that has the newest data the others compute, and rightly so. It is spared.
  const moves = scenario.moves.filter(
    (move) => move.kind !== "weather" && !("node" in move && move.node === 0),
  );
  return { scenario: { ...scenario, moves }, epoch, zone, olderFrom: 1, change };
}

/** An hour at most, or some hours on a store of one node, which is quick to simulate. */
function scheduleScenarioOf(seed: string, random: SeededRandom): Scenario {
  for (let number = 0; ; number++) {
    const scenario = scenarioOf(`${seed}/${number}`, "liveness");
    const { endsAt, nodes, leaseMs } = scenario;
    if (endsAt > (leaseMs === null ? 6 * hour : hour) || nodes > 3) continue;
    const moves = scenario.moves.filter(({ kind }) => keptKinds.has(kind));
    const isEmbedded = leaseMs === null;
    const stepping = isEmbedded ? random : random.fork("clock");
    const steps = stepping.happens(isEmbedded ? 0.3 : 0.2) ? clockSteps(stepping, endsAt) : [];
    return {
      ...scenario,
      retentionMs,
      targets: scenario.targets.filter(({ targetId }) => /^[ab]\d$/.test(targetId)),
      moves: [
        ...moves,
        ...strikes(random, endsAt, nodes),
        ...blackout(random, endsAt, nodes),
        ...steps,
      ],
    };
  }
}

/** Calls that make runs or change schedules fail, or their node dies amid them. */
function strikes(random: SeededRandom, endsAt: number, nodes: number): Move[] {
  return Array.from({ length: random.between(0, 5) }, () => ({
    at: Math.floor(random.fraction() * endsAt),
    kind: "strike",
    node: random.between(0, nodes - 1),
    calls: random.between(0, 5),
    verb: random.pick(["advanceSchedules", "advanceSchedules", "changeSchedule", "createSchedule"]),
    what: random.pick<Strike>([
      "fails-before",
      "fails-after",
      "dies-before",
      "dies-after",
      { happensAfterMs: random.between(1, 3_000) },
    ]),
    downMs: random.pick([0, 5 * second, 30 * second]) + random.between(0, second),
  }));
}

/** All nodes are down together, for long enough that runs are missed. */
function blackout(random: SeededRandom, endsAt: number, nodes: number): Move[] {
  if (random.happens(0.5)) return [];
  const at = Math.floor(random.fraction() * endsAt);
  const downMs = random.pick([15 * second, minute, 12 * minute]);
  return Array.from({ length: nodes }, (_, node) => ({
    ...{ at: at + random.between(0, second), kind: "crash", node },
    downMs: downMs + random.between(0, 10 * second),
  }));
}

function clockSteps(random: SeededRandom, endsAt: number): Move[] {
  return Array.from({ length: random.between(1, 2) }, () => ({
    at: Math.floor(random.fraction() * endsAt),
    kind: "clock-step",
    byMs: random.pick([-1, 1]) * random.pick([700, 8 * second, 40 * second, 7 * minute]),
  }));
}

function makersOf({ scenario, olderFrom }: Plan): string[] {
  const makers = Math.min(olderFrom, scenario.nodes - scenario.apiNodes);
  return Array.from({ length: makers }, (_, number) => `n${number}`);
}

function callersOf(
  seed: string,
  { scenario, zone, backfills, deadLetters }: Plan,
  { world, runs }: OpenWorld,
  meanings: Map<string, Meaning>,
): ScheduleCaller[] {
  const { time, storeClock } = world;
  const random = seededRandom(`${seed}/callers`);
  return scenario.accounts.flatMap(({ accountId }) =>
    Array.from({ length: random.between(1, 4) }, (_, number) => {
      const scheduleId = `s${number}`;
      const own = scenario.targets.filter((target) => target.accountId === accountId);
      return new ScheduleCaller({
        ...{
          time,
          accountId,
          scheduleId,
          meanings,
          backfills,
          deadLetters,
          endsAt: scenario.endsAt,
        },
        now: () => storeClock.now(),
        random: random.fork(`${accountId}/${scheduleId}`),
        runs,
        targetIds: own.map(({ targetId }) => targetId),
        zone: random.happens(0.8) ? zone : random.pick(awkwardZones),
      });
    }),
  );
}

function messagesOf({ world }: OpenWorld, snapshot: Snapshot): RunsMessage[] {
  const { network, storeClock } = world;
  const offAt = (at: number): number =>
    storeClock.steps.reduce((sum, step) => (step.at <= at ? sum + step.byMs : sum), 0);
  const attempts = Map.groupBy(network.arrivals, ({ messageId }) => messageId);
  return [...snapshot.messages, ...snapshot.removedOfSchedules]
    .filter(({ message }) => message.options?.schedule !== undefined)
    .map(({ accountId, message, payload }) => ({
      ...{ accountId, message, payload },
      endedAt: endTimeOf(message),
      attemptTimes: (attempts.get(message.messageId) ?? []).map(
        ({ startedAt }) => startedAt + offAt(startedAt),
      ),
    }));
}

function endTimeOf({ cancellationTime, expirationTime }: TrackedMessage): number | null {
  if (expirationTime === null) return null;
  return cancellationTime ?? expirationTime - retentionMs;
}

/** Changes that were answered and did not happen. */
function lostChanges(callers: readonly ScheduleCaller[], { scheduleJournal }: Snapshot): string[] {
  const times = new Set(
    scheduleJournal
      .filter(({ kind }) => kind === "created" || kind === "changed")
      .map(({ at }) => at),
  );
  return callers
    .flatMap(({ acknowledged }) => acknowledged)
    .filter(({ at }) => !times.has(at))
    .map(({ scheduleId, at }) => `a change of ${scheduleId} at ${at} was answered, and is lost`);
}
