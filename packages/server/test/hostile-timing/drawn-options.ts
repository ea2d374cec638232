import type { AskedBound, AskedOptions, Due } from "../history/history.ts";
import type { Chance } from "../history/support/chance.ts";

/** A third of the calls leave the instant to the store. */
export const inMs = (delayMs: number): Due =>
  delayMs % 3 === 0 ? { delayMs } : Date.now() + delayMs;

/** Bounds so near that attempts, retries and the end of the message coincide. */
export function optionsOf(chance: Chance): AskedOptions {
  const bound = chance.happens(0.8) ? boundOf(chance) : null;
  const delaysMs = [chance.between(1, 100)];
  return {
    labels: { order: String(chance.between(1, 9)) },
    ...(bound !== null && { bound }),
    ...(chance.happens(0.3) && { flexWindowMs: chance.between(1, 300) }),
    ...(chance.happens(0.3) && {
      retryPolicy: {
        maxAttempts: chance.between(1, 5),
        backoff: { kind: "list", delaysMs, jitter: 0 },
        finalStatuses: [],
        maxRetryAfterMs: 0,
      },
    }),
  };
}

/** Null for none. */
export function boundOf(chance: Chance): AskedBound | null {
  if (chance.happens(0.2)) return null;
  const ms = chance.between(1, 900);
  return chance.happens(0.5) ? { notAfterMs: ms } : { notAfter: Date.now() + 300 + ms };
}
