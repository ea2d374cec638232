import type { Instant } from "./message.ts";
import type { SigningSecrets } from "./target.ts";

export interface Rotation {
  readonly secret: string;
  /** How long the old secret signs as well; undefined: the caller leaves it to the service. */
  readonly overlapMs: number | undefined;
}

export const defaultOverlapMs = 24 * 3_600_000;

/**
 * The secrets after a rotation; undefined where it changes nothing. A rotation that is asked for again,
 * because its answer was lost, finds its secret to be the current one already. The overlap that the
 * first one began goes on then: it can become longer, never shorter. Only one old secret signs: a
 * rotation to yet another secret ends the overlap with the one before last.
 */
export function rotatedSecrets(
  before: SigningSecrets,
  { secret, overlapMs }: Rotation,
  now: Instant,
): SigningSecrets | undefined {
  if (secret !== before.current) {
    const lastsMs = overlapMs ?? defaultOverlapMs;
    return lastsMs > 0
      ? { current: secret, previous: before.current, previousUntil: now + lastsMs }
      : { current: secret, previous: null, previousUntil: null };
  }
  const until = before.previousUntil;
  const isOver = until === null || until <= now;
  if (isOver || overlapMs === undefined || now + overlapMs <= until) return undefined;
  return { ...before, previousUntil: now + overlapMs };
}
