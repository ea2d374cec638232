import { ApiError } from "../api-error.ts";
import { ConnectionError } from "../connection-error.ts";
import { InputError } from "../input-error.ts";

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
  if (retry === false) return { tries: 1, initialMs: 0, maxMs: 0 };
  const { tries = 6, initialMs = 250, maxMs = 5_000 } = retry;
  if (!(Number.isInteger(tries) && tries > 0 && initialMs >= 0 && maxMs >= initialMs)) {
    throw new InputError("retry must be false, or have tries ≥ 1 and 0 ≤ initialMs ≤ maxMs.");
  }
  return { tries, initialMs, maxMs };
}

/**
 * How long to wait before the request is sent again; undefined if it must not be. A request that never
 * arrived, or that a rate limit turned away, may always be repeated. After any other failure nobody
 * knows whether it took effect.
 */
export function waitBeforeRetry(
  failure: unknown,
  tries: number,
  isRepeatable: boolean,
  retries: Retries,
): number | undefined {
  if (tries >= retries.tries || !mayBeRepeated(failure, isRepeatable)) return undefined;
  const most = Math.min(retries.maxMs, retries.initialMs * 2 ** (tries - 1));
  // Full jitter: callers that failed together do not come back together.
  return (failure.retryAfterMs ?? 0) + Math.random() * most;
}

function mayBeRepeated(
  failure: unknown,
  isRepeatable: boolean,
): failure is ApiError | ConnectionError {
  if (!(failure instanceof ApiError || failure instanceof ConnectionError)) return false;
  if (failure.status === 429) return true;
  if (failure instanceof ConnectionError) {
    if (!failure.mayHaveTakenEffect) return failure.status === null;
    if (failure.status === null) return isRepeatable;
  } else if (failure.code === "E-DI-9002") return isRepeatable;
  return isRepeatable && failure.status !== null && failure.status >= 502 && failure.status <= 504;
}
