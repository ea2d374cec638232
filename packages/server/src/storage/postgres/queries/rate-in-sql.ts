/**
 * The arithmetic of `domain/rate-limit.ts` as PostgreSQL does it under the target's lock, so that a
 * claim needs no second way there and back. Beside each expression there must be a `now` (as in
 * `clock`) and a bucket's `full_at`; no limit is `rate_limit IS NULL`.
 */

const max = (limit: string): string => `(${limit}::json->>'max')::float8`;
const interval = (limit: string): string => `(${limit}::json->>'intervalMs')::float8`;

const bounded = (limit: string, fullAt: string, now: string): string =>
  `least(greatest(${fullAt}, ${now}), ${now} + ${interval(limit)})`;

/** `rateAllowance`; null, which `least` passes over, where there is no limit. */
export function allowanceInSql(limit: string, fullAt: string, now: string): string {
  const missing = `(${bounded(limit, fullAt, now)} - ${now}) / (${interval(limit)} / ${max(limit)})`;
  const allowance = `greatest(0, floor(${max(limit)} - ${missing} + 1e-6))::int`;
  return `CASE WHEN ${limit} IS NOT NULL THEN ${allowance} END`;
}

/** `spendRate`; what was there where there is no limit. */
export function spentInSql(limit: string, fullAt: string, now: string, count: string): string {
  const spent = `${bounded(limit, fullAt, now)} + ${count} * ${interval(limit)} / ${max(limit)}`;
  return `coalesce(${spent}, ${fullAt})`;
}

/** Whether the bucket is emptier than empty: written under another limit, or by a clock that was ahead. */
export function outdatedInSql(limit: string, fullAt: string, now: string): string {
  return `${fullAt} > ${now} + ${interval(limit)}`;
}
