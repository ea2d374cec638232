import { calm } from "./moves.ts";
import type { Move } from "./moves.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { seededRandom } from "./seeded-random.ts";
import { sunny } from "./simulated-network.ts";
import type { Mood } from "./simulated-network.ts";

/** `safety`: faults to the end. `liveness`: faults end, and then everything must settle. */
export type Mode = "safety" | "liveness";

export interface Scenario {
  readonly seed: string;
  readonly mode: Mode;
  readonly nodes: number;
  readonly accounts: readonly {
    readonly accountId: string;
    readonly monthlyLimit: number | null;
  }[];
  readonly targets: readonly SimulatedTarget[];
  readonly moves: readonly Move[];
  /** How well a node knows the store's clock. */
  readonly clockErrorMs: number;
  readonly retentionMs: number;
  /** When the last move is made and faults end. */
  readonly endsAt: number;
}

export interface SimulatedTarget {
  readonly accountId: string;
  readonly targetId: string;
  readonly maxConcurrency: number;
  readonly timeoutMs: number;
  readonly rateLimit: { readonly max: number; readonly intervalMs: number } | null;
  readonly delaysMs: readonly number[];
  readonly maxAttempts: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Everything that will be done to a world, from its seed alone. */
export function scenarioOf(seed: string, mode: Mode): Scenario {
  const random = seededRandom(seed);
  const nodes = random.pick([1, 2, 2, 3, 3]);
  // Some worlds are busy for minutes, some are quiet for days.
  const endsAt = random.happens(0.03)
    ? 48 * hour
    : random.pick([2 * minute, 2 * minute, 10 * minute, 10 * minute, hour, hour, 6 * hour]);
  const accounts = ["acc_a", "acc_b"].map((accountId) => ({
    accountId,
    monthlyLimit: random.happens(0.3) ? random.between(5, 60) : null,
  }));
  const targets = accounts.flatMap(({ accountId }) =>
    Array.from({ length: random.between(1, 3) }, (_, place) =>
      targetOf(random, accountId, `${accountId.at(-1)}${place}`),
    ),
  );
  const context = { random, nodes, endsAt, targets };
  const clockErrorMs = random.pick([0, 0, 20]);
  const retentionMs = random.pick([minute, hour, 30 * 24 * hour]);
  const messages = random.between(20, 150);
  const moves = [
    ...Array.from({ length: messages }, (_, place) => movesOfMessage(context, `m${place}`)).flat(),
    ...batches(context),
    ...bursts(context),
    ...walks(context),
    ...management(context),
    ...moods(context),
    ...faults(context),
  ].toSorted((a, b) => a.at - b.at);
  return { seed, mode, nodes, accounts, targets, moves, clockErrorMs, retentionMs, endsAt };
}

interface Context {
  readonly random: SeededRandom;
  readonly nodes: number;
  readonly endsAt: number;
  readonly targets: readonly SimulatedTarget[];
}

function targetOf(random: SeededRandom, accountId: string, targetId: string): SimulatedTarget {
  return {
    accountId,
    targetId,
    maxConcurrency: random.pick([1, 2, 10, 50]),
    timeoutMs: random.pick([1, 5, 15]) * second,
    rateLimit: random.happens(0.25)
      ? { max: random.between(1, 10), intervalMs: random.pick([second, 10 * second]) }
      : null,
    delaysMs: Array.from({ length: random.between(1, 4) }, () =>
      random.pick([50, second, 20 * second, 10 * minute]),
    ),
    maxAttempts: random.between(1, 6),
  };
}

/** Small waits often, long ones now and then. */
function wait(random: SeededRandom, longestMs: number): number {
  return Math.floor(longestMs * random.fraction() ** 4);
}

function scheduleOf(context: Context, name: string, at: number): Move & { kind: "schedule" } {
  const { random, endsAt, targets } = context;
  const { accountId, targetId } = random.pick(targets);
  return {
    at,
    kind: "schedule",
    name,
    accountId,
    targetId,
    // Some in the past, which means now; some at one and the same instant.
    dueInMs: random.happens(0.1) ? -random.between(0, minute) : wait(random, endsAt),
    payload: `${name} ${"\u{1f4ee}é\u0000".repeat(random.between(0, 3))}`,
  };
}

function movesOfMessage(context: Context, name: string): Move[] {
  const { random, endsAt } = context;
  const first = scheduleOf(context, name, Math.floor(random.fraction() * endsAt));
  const moves: Move[] = [first];
  let at = first.at;
  while (random.happens(0.4)) {
    // Near the instant it is due, where changes and attempts meet; or at any time.
    const nearDue = Math.max(0, first.at + first.dueInMs - at) + random.between(-200, 400);
    at += Math.max(1, random.happens(0.5) ? nearDue : wait(random, endsAt / 4));
    if (at >= endsAt) break;
    const kind = random.pick(["cancel", "reschedule", "reschedule", "get"] as const);
    if (kind === "reschedule") moves.push({ at, kind, name, dueInMs: wait(random, endsAt / 2) });
    else moves.push({ at, kind, name });
  }
  return moves;
}

function batches(context: Context): Move[] {
  const { random, endsAt } = context;
  return Array.from({ length: random.between(0, 3) }, (_, batch) => {
    const at = Math.floor(random.fraction() * endsAt);
    const items = Array.from({ length: random.between(2, 20) }, (_each, place) =>
      scheduleOf(context, `b${batch}.${place}`, at),
    );
    // A batch is one account's.
    const { accountId } = items[0]!;
    return { at, kind: "batch", items: items.filter((item) => item.accountId === accountId) };
  });
}

/** Many at one moment for one and the same instant, and a walk over them: edges and ties. */
function bursts(context: Context): Move[] {
  const { random, endsAt, targets } = context;
  return Array.from({ length: random.between(0, 2) }, (_, burst): Move[] => {
    const at = Math.floor(random.fraction() * endsAt);
    const { accountId, targetId } = random.pick(targets);
    const dueInMs = random.between(5, 120) * second;
    const items = Array.from({ length: random.between(3, 25) }, (_each, place) => ({
      ...scheduleOf(context, `x${burst}.${place}`, at),
      accountId,
      targetId,
      dueInMs,
    }));
    const list = { kind: "walk", accountId, targetId, list: "scheduled" } as const;
    return [...items, { ...list, at: at + 2 * second, limit: random.between(1, 3) }];
  }).flat();
}

function walks({ random, endsAt, targets }: Context): Move[] {
  return Array.from({ length: random.between(0, 8) }, () => {
    const { accountId, targetId } = random.pick(targets);
    return {
      at: Math.floor(random.fraction() * endsAt),
      kind: "walk",
      accountId,
      targetId,
      list: random.pick(["scheduled", "dead"] as const),
      limit: random.between(1, 7),
    };
  });
}

function management({ random, endsAt, targets }: Context): Move[] {
  const moves: Move[] = [];
  for (let count = random.between(0, 3); count > 0; count--) {
    const { accountId, targetId } = random.pick(targets);
    const at = Math.floor(random.fraction() * endsAt * 0.8);
    const back = at + wait(random, endsAt / 5) + 1;
    if (random.happens(0.3)) {
      moves.push({ at, kind: "account", accountId, change: "suspend" });
      moves.push({ at: back, kind: "account", accountId, change: "resume" });
    } else {
      const [change, undo] = random.pick([
        ["pause", "resume"],
        ["slower", "faster"],
      ] as const);
      moves.push({ at, kind: "target", accountId, targetId, change });
      moves.push({ at: back, kind: "target", accountId, targetId, change: undo });
    }
  }
  return moves;
}

function moods({ random, endsAt, targets }: Context): Move[] {
  return targets.flatMap(({ targetId }) =>
    Array.from({ length: random.between(0, 4) }, () => {
      const share = (chance: number): number => (random.happens(chance) ? random.fraction() : 0);
      const mood: Mood = {
        delivers: random.fraction(),
        refuses: share(0.2),
        fails: share(0.6),
        saysGone: share(0.1) * 0.1,
        saysLater: share(0.3),
        hangs: share(0.3),
        resets: share(0.3),
        unreachable: share(0.3),
        slowestMs: random.pick([5, 100, 3 * second, 20 * second]),
      };
      return { at: Math.floor(random.fraction() * endsAt), kind: "mood", targetId, mood } as const;
    }),
  );
}

function faults({ random, nodes, endsAt }: Context): Move[] {
  const moves: Move[] = [];
  const anyTime = (): number => Math.floor(random.fraction() * endsAt);
  for (let count = random.between(0, 6); count > 0; count--) {
    const at = anyTime();
    const share = (): number => (random.happens(0.6) ? random.fraction() * 0.5 : 0);
    const weather = {
      failsBefore: share(),
      failsAfter: share(),
      slow: share(),
      slowestMs: random.pick([50, second, 12 * second]),
    };
    moves.push({ at, kind: "weather", weather });
    moves.push({ at: at + 1 + wait(random, 5 * minute), kind: "weather", weather: calm });
  }
  for (let count = random.between(0, 6); count > 0; count--) {
    const node = random.between(0, nodes - 1);
    const kind = random.pick(["crash", "crash", "restart", "freeze", "cut-off"] as const);
    const forMs =
      random.pick([0, 500, 5 * second, 12 * second, minute]) + random.between(0, second);
    if (kind === "crash" || kind === "restart") {
      moves.push({ at: anyTime(), kind, node, downMs: forMs });
    } else {
      moves.push({ at: anyTime(), kind, node, forMs });
    }
  }
  for (let count = random.between(0, 2); count > 0; count--) {
    const wallErrorMs = random.pick([-hour, -second, second, hour]);
    moves.push({ at: anyTime(), kind: "clock", node: random.between(0, nodes - 1), wallErrorMs });
  }
  return moves;
}

/** How targets are once the faults have ended. */
export const settlingMood: Mood = sunny;

export function policyOf({ maxAttempts, delaysMs }: SimulatedTarget) {
  return { maxAttempts, backoff: { kind: "list", delaysMs: [...delaysMs], jitter: 0.5 } } as const;
}
