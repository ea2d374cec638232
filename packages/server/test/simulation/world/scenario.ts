import { calendarOf, shortWait } from "./calendar.ts";
import type { Calendar } from "./calendar.ts";
import { installationOf, longMs } from "./installation.ts";
import type { Installation } from "./installation.ts";
import { keysOf } from "./key-draws.ts";
import type { Move } from "./moves.ts";
import { newBoundOf, optionsOf } from "./option-draws.ts";
import { plotsOf } from "./plots.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { seededRandom } from "./seeded-random.ts";
import { sunny } from "./simulated-network.ts";
import type { Mood } from "./simulated-network.ts";
import { troublesOf } from "./troubles.ts";

/** `safety`: faults last until the end. `liveness`: faults end, and then everything must settle. */
export type Mode = "safety" | "liveness";

export interface Scenario extends Installation {
  readonly seed: string;
  readonly mode: Mode;
  readonly accounts: readonly {
    readonly accountId: string;
    readonly monthlyLimit: number | null;
  }[];
  readonly targets: readonly SimulatedTarget[];
  readonly moves: readonly Move[];
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

/** Everything that will be done to a world, computed only from its seed. */
export function scenarioOf(seed: string, mode: Mode): Scenario {
  const random = seededRandom(seed);
  const installation = installationOf(random);
  const { endsAt } = installation;
  const calendar = calendarOf(random, endsAt);
  const accounts = ["acc_a", "acc_b"].map((accountId) => ({
    accountId,
    monthlyLimit: random.happens(0.3) ? random.between(5, endsAt >= longMs ? 400 : 60) : null,
  }));
  const targets = accounts.flatMap(({ accountId }) =>
    Array.from({ length: random.between(1, 3) }, (_, place) =>
      targetOf(random, accountId, `${accountId.at(-1)}${place}`, endsAt),
    ),
  );
  const plotted = seededRandom(`${seed}/plots`);
  const plots = plotsOf(plotted, installation);
  // Faults excuse lateness, so a world with a plot rarely has other faults.
  const isCalm = plots.length > 0 && plotted.happens(0.8);
  const context = { ...installation, random, calendar, targets };
  const keys = keysOf(seed, installation);
  const messages = calendar.count(20, 150, 4);
  const moves = [
    ...Array.from({ length: messages }, (_, place) => movesOfMessage(context, `m${place}`)).flat(),
    ...batches(context),
    ...bursts(context),
    ...walks(context),
    ...management(context),
    ...troublesOf(context).filter(({ kind }) => !isCalm || kind === "mood"),
    ...plots.flatMap((plot) => plot.moves),
    ...keys.moves,
  ].toSorted((a, b) => a.at - b.at);
  const all = [...targets, ...plots.flatMap((plot) => plot.targets), ...keys.targets];
  return { ...installation, seed, mode, accounts, targets: all, moves };
}

/** What the random moves depend on. */
export interface DrawContext extends Installation {
  readonly random: SeededRandom;
  readonly calendar: Calendar;
  readonly targets: readonly SimulatedTarget[];
}

function targetOf(
  random: SeededRandom,
  accountId: string,
  targetId: string,
  endsAt: number,
): SimulatedTarget {
  // If the world is long enough, some messages are retried only after hours.
  const longest = endsAt >= longMs ? [hour, 5 * hour] : [];
  return {
    accountId,
    targetId,
    maxConcurrency: random.pick([1, 2, 10, 50]),
    timeoutMs: random.pick([1, 5, 15]) * second,
    rateLimit: random.happens(0.25)
      ? { max: random.between(1, 10), intervalMs: random.pick([second, 10 * second]) }
      : null,
    delaysMs: Array.from({ length: random.between(1, 4) }, () =>
      random.pick([50, second, 20 * second, 10 * minute, ...longest]),
    ),
    maxAttempts: random.between(1, 6),
  };
}

function scheduleOf(context: DrawContext, name: string, at: number): Move & { kind: "schedule" } {
  const { random, calendar, endsAt, targets } = context;
  const { accountId, targetId } = random.pick(targets);
  // Some are in the past, which means now. Some are at the same instant.
  const dueInMs = random.happens(0.1) ? -random.between(0, minute) : calendar.wait(at, endsAt);
  return {
    at,
    kind: "schedule",
    name,
    accountId,
    targetId,
    dueInMs,
    byDelay: dueInMs >= 0 && random.fork(`delay of ${name}`).happens(0.3),
    payload: `${name} ${"\u{1f4ee}é\u0000".repeat(random.between(0, 3))}`,
    ...optionsOf(random.fork(`options of ${name}`), dueInMs, endsAt),
  };
}

function movesOfMessage(context: DrawContext, name: string): Move[] {
  const { random, calendar, endsAt } = context;
  const first = scheduleOf(context, name, calendar.instant());
  const moves: Move[] = [first];
  let at = first.at;
  while (random.happens(0.4)) {
    // Near the due time, where changes and attempts coincide, or at any time.
    const nearDue = Math.max(0, first.at + first.dueInMs - at) + random.between(-200, 400);
    at += Math.max(1, random.happens(0.5) ? nearDue : shortWait(random, endsAt / 4));
    if (at >= endsAt) break;
    const kind = random.pick(["cancel", "reschedule", "reschedule", "get"] as const);
    if (kind === "reschedule") {
      const dueInMs = calendar.wait(at, endsAt / 2);
      const byDelay = random.fork(`delay of ${name} from ${at}`).happens(0.4);
      const bound = newBoundOf(random.fork(`bound of ${name} from ${at}`), dueInMs, endsAt);
      moves.push({ at, kind, name, dueInMs, byDelay, ...bound });
    } else moves.push({ at, kind, name });
  }
  return moves;
}

function batches(context: DrawContext): Move[] {
  const { random, calendar } = context;
  return Array.from({ length: calendar.count(0, 3, 0.05) }, (_, batch) => {
    const at = calendar.instant();
    const items = Array.from({ length: random.between(2, 20) }, (_each, place) =>
      scheduleOf(context, `b${batch}.${place}`, at),
    );
    // A batch belongs to one account.
    const { accountId } = items[0]!;
    const ofAccount = items.filter((item) => item.accountId === accountId);
    const ownKeys = random.fork(`keys of ${batch}`).happens(0.5);
    return { at, kind: "batch", items: ofAccount, ownKeys };
  });
}

/** Many messages at one moment for the same instant, and a walk over them: edges and ties. */
function bursts(context: DrawContext): Move[] {
  const { random, calendar, targets } = context;
  return Array.from({ length: calendar.count(0, 2, 0.05) }, (_, burst): Move[] => {
    const at = calendar.instant();
    const { accountId, targetId } = random.pick(targets);
    const dueInMs = random.between(5, 120) * second;
    const items = Array.from({ length: random.between(3, 25) }, (_each, place) => ({
      ...scheduleOf(context, `x${burst}.${place}`, at),
      accountId,
      targetId,
      dueInMs,
      byDelay: false,
    }));
    const list = { kind: "walk", accountId, targetId, list: "scheduled" } as const;
    return [...items, { ...list, at: at + 2 * second, limit: random.between(1, 3) }];
  }).flat();
}

function walks({ random, calendar, targets }: DrawContext): Move[] {
  return Array.from({ length: calendar.count(0, 8, 0.3) }, () => {
    const { accountId, targetId } = random.pick(targets);
    return {
      at: calendar.instant(),
      kind: "walk",
      accountId,
      targetId,
      list: random.pick(["scheduled", "dead"] as const),
      limit: random.between(1, 7),
    };
  });
}

function management({ random, calendar, endsAt, targets }: DrawContext): Move[] {
  const moves: Move[] = [];
  for (let count = calendar.count(0, 3, 0.05); count > 0; count--) {
    const { accountId, targetId } = random.pick(targets);
    const at = calendar.instant();
    const back = at + shortWait(random, endsAt / 5) + 1;
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

/** How targets behave once the faults have ended. */
export const settlingMood: Mood = sunny;

export function policyOf({ maxAttempts, delaysMs }: SimulatedTarget) {
  return { maxAttempts, backoff: { kind: "list", delaysMs: [...delaysMs], jitter: 0.5 } } as const;
}
