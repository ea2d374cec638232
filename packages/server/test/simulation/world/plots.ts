import type { Installation } from "./installation.ts";
import type { Move } from "./moves.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { SimulatedTarget } from "./scenario.ts";

/**
 * Events that are arranged in a world in addition to the random ones. They need several things to coincide,
 * which chance alone rarely brings together. A plot has its own targets and messages and its own source of
 * chance, so the rest of the world is the same with it and without it.
 */
export interface Plot {
  readonly targets: readonly SimulatedTarget[];
  readonly moves: readonly Move[];
}

const second = 1_000;
const minute = 60 * second;
const shortMs = 10 * minute;

export function plotsOf(random: SeededRandom, installation: Installation): Plot[] {
  const { leaseMs, endsAt, delivererRole } = installation;
  const chance = (name: string): SeededRandom => random.fork(name);
  const plots: Plot[] = [];
  if (endsAt >= shortMs && chance("clock").happens(leaseMs === null ? 0.3 : 0.2)) {
    plots.push(clockPlot(chance("clock plot"), endsAt));
  }
  if (
    plots.length === 0 &&
    leaseMs !== null &&
    chance("rate").happens(delivererRole === "dispatch" ? 0.7 : 0.05)
  ) {
    plots.push(ratePlot(chance("rate plot"), endsAt));
  }
  // Each plot comes alone, because a clock that is set hides how late others are.
  if (plots.length === 0 && endsAt <= shortMs && chance("crowding").happens(0.12)) {
    plots.push(crowdingPlot(chance("crowding plot"), endsAt));
  }
  return plots;
}

const plain = {
  maxConcurrency: 50,
  timeoutMs: 15 * second,
  rateLimit: null,
  delaysMs: [second],
  maxAttempts: 3,
} satisfies Partial<SimulatedTarget>;

/** Many messages to one target at once, due a moment later. */
function flood(target: SimulatedTarget, at: number, count: number): Move[] {
  const { accountId, targetId } = target;
  const items = Array.from({ length: count }, (_, place) => ({
    at,
    kind: "schedule" as const,
    name: `flood.${targetId}.${place}`,
    accountId,
    targetId,
    dueInMs: second,
    payload: `${targetId} ${place}`,
  }));
  return [{ at, kind: "batch", items }];
}

/** A backlog drains at its rate, beside single messages, while the clock is set back and forward. */
function clockPlot(random: SeededRandom, endsAt: number): Plot {
  const rateLimit = { max: random.between(1, 3), intervalMs: random.pick([second, 10 * second]) };
  const paced = { ...plain, accountId: "acc_a", targetId: "paced", rateLimit };
  const single = { ...plain, accountId: "acc_b", targetId: "single" };
  const at = Math.floor(random.fraction() * Math.max(endsAt - 6 * minute, 1));
  const drainMs = 3 * minute;
  const count = Math.min(200, Math.ceil((drainMs / rateLimit.intervalMs) * rateLimit.max));
  const singles = Array.from({ length: 10 }, (_, place): Move => ({
    at: at + random.between(0, drainMs),
    kind: "schedule",
    name: `single.${place}`,
    accountId: single.accountId,
    targetId: single.targetId,
    dueInMs: random.between(0, 2 * minute),
    payload: "in time",
  }));
  return {
    targets: [paced, single],
    moves: [...flood(paced, at, count), ...singles, ...clockSteps(random, at, drainMs)],
  };
}

/** Sets the clock and usually sets it back again, so that it is never off by more than a few minutes. */
function clockSteps(random: SeededRandom, from: number, withinMs: number): Move[] {
  const kind = "clock-step";
  return Array.from({ length: random.between(1, 2) }, (): Move[] => {
    const at = from + 2 * second + random.between(0, withinMs);
    const byMs = random.pick([-5 * minute, -minute, -10 * second, second, minute, 5 * minute]);
    const back = { at: at + random.between(second, 3 * minute), kind, byMs: -byMs } as const;
    return [{ at, kind, byMs }, ...(random.happens(0.7) ? [back] : [])];
  }).flat();
}

/** A target is almost closed, messages fall due, and then its limit is removed. */
function ratePlot(random: SeededRandom, endsAt: number): Plot {
  const limited = { ...plain, accountId: "acc_a", targetId: "limited" };
  const change = { kind: "target", accountId: "acc_a", targetId: "limited" } as const;
  const at = Math.floor(random.fraction() * Math.max(endsAt - 90 * second, 1));
  const due = at + random.between(second, 10 * second);
  return {
    targets: [limited],
    moves: [
      { ...change, at, change: "slower" },
      ...flood(limited, due, random.between(5, 30)),
      { ...change, at: due + random.between(5, 40) * second, change: "faster" },
    ],
  };
}

/** One account has more hanging targets than there are slots, while another account is served. */
function crowdingPlot(random: SeededRandom, endsAt: number): Plot {
  const timeoutMs = random.pick([5, 15, 15]) * second;
  const crowd = Array.from({ length: random.between(15, 60) }, (_, place) => ({
    ...plain,
    accountId: "acc_a",
    targetId: `crowd${place}`,
    timeoutMs,
    maxAttempts: random.pick([1, 3]),
  }));
  const single = { ...plain, accountId: "acc_b", targetId: "beside" };
  const forMs = Math.min(endsAt, 2 * minute);
  const from = Math.floor(random.fraction() * (endsAt - forMs));
  const singles = Array.from({ length: 60 }, (_, place): Move => ({
    at: from + random.between(0, forMs),
    kind: "schedule",
    name: `beside.${place}`,
    accountId: single.accountId,
    targetId: single.targetId,
    dueInMs: random.between(0, 5 * second),
    payload: "in time",
  }));
  const targetIds = crowd.map(({ targetId }) => targetId);
  return {
    targets: [...crowd, single],
    moves: [
      { at: from, kind: "hang", accountId: "acc_a", targetIds, forMs },
      ...crowd.flatMap((target) =>
        flood(target, from + random.between(0, 10 * second), random.between(10, 40)),
      ),
      ...singles,
    ],
  };
}
