/** Wall time says what time it is; monotonic time says how much of it has passed. */
export interface Clock {
  /** Milliseconds since the Unix epoch, whole. */
  now(): number;
  /** Milliseconds since an arbitrary start, never going back, with fractions. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
