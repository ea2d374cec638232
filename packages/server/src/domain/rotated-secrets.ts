import type { Instant } from "./message.ts";
import type { SigningSecrets } from "./target.ts";

export interface Rotation {
  readonly secret: string;
  /** How long the old secret also signs; undefined: the service decides. */
  readonly overlapMs: number | undefined;
}

export const defaultOverlapMs = 24 * 3_600_000;

/**
 * The secrets after a rotation; undefined: the rotation changes nothing. A caller that lost the answer
 * may ask for a rotation again. Its secret is then the current one already, and the first overlap goes
 * on: it can become longer, never shorter. Only one old secret signs. A rotation to yet another secret
 * ends the overlap with the one before last.
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
