/** The default of libuv, and its maximum. */
const defaultThreads = 4;
const mostThreads = 1_024;

/**
 * How many look-ups of names the process runs at once. Each blocks a thread of libuv's pool. libuv
 * gives at most half of its threads (rounded up) to such slow work, and the rest of that work waits.
 */
export function concurrentLookups(size = process.env["UV_THREADPOOL_SIZE"]): number {
  const given = size === undefined ? defaultThreads : Number.parseInt(size, 10) || 1;
  const threads = Math.min(Math.max(1, given), mostThreads);
  return Math.ceil(threads / 2);
}
