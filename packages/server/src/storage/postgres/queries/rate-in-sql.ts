/**
 * The arithmetic of `domain/rate-limit.ts` in PostgreSQL, under the target's lock, so that a claim
 * needs no second round trip. Each expression needs a `now` (as in `clock`) and a bucket's
 * `full_at` beside it. Without a limit, `rate_limit IS NULL`.
 */

const max = (limit: string): string => `(${limit}::json->>'max')::float8`;
const interval = (limit: string): string => `(${limit}::json->>'intervalMs')::float8`;

const bounded = (limit: string, fullAt: string, now: string): string =>
  `least(greatest(${fullAt}, ${now}), ${now} + ${interval(limit)})`;

/** `rateAllowance`; null without a limit, and `least` ignores null. */
export function allowanceInSql(limit: string, fullAt: string, now: string): string {
  const missing = `(${bounded(limit, fullAt, now)} - ${now}) / (${interval(limit)} / ${max(limit)})`;
  const allowance = `greatest(0, floor(${max(limit)} - ${missing} + 1e-6))::int`;
  return `CASE WHEN ${limit} IS NOT NULL THEN ${allowance} END`;
}

/** `spendRate`; leaves the value as it is without a limit. */
export function spentInSql(limit: string, fullAt: string, now: string, count: string): string {
  const spent = `${bounded(limit, fullAt, now)} + ${count} * ${interval(limit)} / ${max(limit)}`;
  return `coalesce(${spent}, ${fullAt})`;
}

/** Whether the bucket is emptier than empty: another limit, or a clock that was ahead, wrote it. */
export function outdatedInSql(limit: string, fullAt: string, now: string): string {
  return `${fullAt} > ${now} + ${interval(limit)}`;
}
