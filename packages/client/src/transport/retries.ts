import { check, refuseUnknown } from "../input-error.ts";

export interface RetryOptions {
  /** How often a request is sent at most; 6 by default. */
  readonly tries?: number;
  /** The longest wait before the second try; 250 by default. It doubles with each further try. */
  readonly initialMs?: number;
  /** The longest wait between two tries, unless the server asks for more; 5,000 by default. */
  readonly maxMs?: number;
}

export type Retries = Required<RetryOptions>;

export function readRetries(retry: RetryOptions | false = {}): Retries {
  const { tries = 6, initialMs = 250, maxMs = 5_000, ...unknown } = retry || { tries: 1 };
  refuseUnknown(unknown);
  check(
    tries >= 1 && initialMs >= 0 && maxMs >= initialMs,
    "retry must be false, or have tries >= 1 and initialMs <= maxMs.",
  );
  return { tries, initialMs, maxMs };
}

/** What an `ApiError` or a `ConnectionError` has. Other errors have nothing of it, and are not repeated. */
export interface Failure {
  readonly status?: number | null;
  readonly retryAfterMs?: number | null;
  readonly mayHaveTakenEffect?: boolean;
}

/**
 * How long to wait before the request is sent again; forever if it must not be. A request that never
 * arrived, or that a rate limit turned away, may always be repeated. After any other failure nobody
 * knows whether it took effect.
 */
export function waitBeforeRetry(
  { status, retryAfterMs, mayHaveTakenEffect }: Failure,
  tries: number,
  isRepeatable: boolean,
  retries: Retries,
): number {
  const mayBeRepeated =
    status === 429 ||
    (status === null && !mayHaveTakenEffect) ||
    // 503 is E-DI-9002, or from a proxy as the others.
    (isRepeatable && [null, 502, 503, 504].includes(status!));
  if (tries >= retries.tries || !mayBeRepeated) return Infinity;
  const most = Math.min(retries.maxMs, retries.initialMs * 2 ** (tries - 1));
  // Full jitter: callers that failed together do not come back together.
  return (retryAfterMs ?? 0) + Math.random() * most;
}
