/** Wall time says what time it is. Monotonic time says how much time has passed. */
export interface Clock {
  /** Whole milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds since an arbitrary start, with fractions. It never goes back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
