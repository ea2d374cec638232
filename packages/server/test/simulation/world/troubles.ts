import { shortWait } from "./calendar.ts";
import { calm } from "./moves.ts";
import type { Move, Strike } from "./moves.ts";
import type { DrawContext } from "./scenario.ts";
import type { Mood } from "./simulated-network.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** All faults of a world. */
export function troublesOf(context: DrawContext): Move[] {
  return [
    ...moods(context),
    ...weathers(context),
    ...nodeTroubles(context),
    ...strikes(context),
    ...clocks(context),
  ];
}

function moods({ random, calendar, targets }: DrawContext): Move[] {
  return targets.flatMap(({ targetId }) =>
    Array.from({ length: calendar.count(0, 4, 0.2) }, () => {
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
      return { at: calendar.instant(), kind: "mood", targetId, mood } as const;
    }),
  );
}

function weathers({ random, calendar }: DrawContext): Move[] {
  return Array.from({ length: calendar.count(0, 6, 0.5) }, (): Move[] => {
    const at = calendar.instant();
    const share = (): number => (random.happens(0.6) ? random.fraction() * 0.5 : 0);
    const weather = {
      failsBefore: share(),
      failsAfter: share(),
      slow: share(),
      slowestMs: random.pick([50, second, 12 * second]),
    };
    return [
      { at, kind: "weather", weather },
      { at: at + 1 + shortWait(random, 5 * minute), kind: "weather", weather: calm },
    ];
  }).flat();
}

function nodeTroubles({ random, calendar, nodes }: DrawContext): Move[] {
  return Array.from({ length: calendar.count(0, 6, 0.5) }, () => {
    const node = random.between(0, nodes - 1);
    const kind = random.pick(["crash", "crash", "restart", "freeze", "cut-off"] as const);
    const forMs =
      random.pick([0, 500, 5 * second, 12 * second, minute]) + random.between(0, second);
    const at = calendar.instant();
    return kind === "crash" || kind === "restart"
      ? { at, kind, node, downMs: forMs }
      : { at, kind, node, forMs };
  });
}

function strikes({ random, calendar, nodes }: DrawContext): Move[] {
  return Array.from({ length: calendar.count(0, 4, 0.7) }, () => ({
    at: calendar.instant(),
    kind: "strike",
    node: random.between(0, nodes - 1),
    calls: random.pick([0, 0, 1, 3, 10]),
    what: random.pick<Strike>([
      "fails-before",
      "fails-after",
      "dies-before",
      "dies-after",
      { happensAfterMs: random.between(1, 3_000) },
    ]),
    downMs: random.pick([0, 5 * second]) + random.between(0, second),
  }));
}

/** On a shared database no node's clock matters. The embedded store uses its node's clock. */
function clocks({ random, calendar, nodes, leaseMs }: DrawContext): Move[] {
  if (leaseMs === null) return [];
  return Array.from({ length: random.between(0, 2) }, () => ({
    at: calendar.instant(),
    kind: "clock",
    node: random.between(0, nodes - 1),
    wallErrorMs: random.pick([-hour, -second, second, hour]),
  }));
}
