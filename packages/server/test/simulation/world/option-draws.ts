import { shortWait } from "./calendar.ts";
import type { MoveBound, MoveOptions } from "./moves.ts";
import type { SeededRandom } from "./seeded-random.ts";

const second = 1_000;

/** The options of one message in five. They have chances of their own: the rest of a world stays the same. */
export function optionsOf(
  random: SeededRandom,
  dueInMs: number,
  endsAt: number,
): { readonly options?: MoveOptions } {
  if (random.happens(0.8)) return {};
  const bound = random.fork("bound");
  const others = random.fork("others");
  return {
    options: {
      ...(bound.happens(0.7) && { bound: boundOf(bound, dueInMs, endsAt) }),
      ...(others.happens(0.3) && { flexWindowMs: others.between(1, 60 * second) }),
      ...(others.happens(0.3) && {
        delaysMs: Array.from({ length: others.between(1, 4) }, () =>
          others.pick([1, 200, second, 20 * second]),
        ),
      }),
      ...(others.happens(0.2) && { labels: { seed: String(others.between(0, 9)) } }),
    },
  };
}

/** What a reschedule says of the bound. Most say nothing. */
export function newBoundOf(
  random: SeededRandom,
  dueInMs: number,
  endsAt: number,
): { readonly bound?: MoveBound | null } {
  if (random.happens(0.7)) return {};
  return { bound: random.happens(0.3) ? null : boundOf(random, dueInMs, endsAt) };
}

/** Often so near that an attempt and the end of the message coincide. */
function boundOf(random: SeededRandom, dueInMs: number, endsAt: number): MoveBound {
  const notAfterMs = 1 + (random.happens(0.5) ? random.between(0, 100) : shortWait(random, endsAt));
  return random.happens(0.5) ? { notAfterMs } : { endsInMs: Math.max(dueInMs, 0) + notAfterMs };
}
