const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** How long to wait after this many failures in a row. */
export function pauseAfterFailures(failures: number): number {
  return Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
}
