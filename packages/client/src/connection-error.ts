import { PostdateError } from "./errors.ts";

interface Circumstances {
  readonly cause?: unknown;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly mayHaveTakenEffect: boolean;
}

/**
 * There is no answer of Postdate: nothing answers, the connection broke, or something else answered,
 * such as a proxy with a page of its own.
 */
export class ConnectionError extends PostdateError {
  override name = "ConnectionError";
  /** The status of an answer that is not from Postdate; null if there was no answer. */
  declare readonly status: number | null;
  declare readonly retryAfterMs: number | null;
  /** False if the request certainly did not reach the service. */
  declare readonly mayHaveTakenEffect: boolean;

  constructor(message: string, circumstances: Circumstances) {
    super(message, circumstances.cause);
    Object.assign(this, circumstances);
  }
}

/** The deadline of a call passed. The call may have taken effect. `cause` is why the last try failed. */
export class TimeoutError extends PostdateError {
  override name = "TimeoutError";
  declare readonly timeoutMs: number;

  constructor(timeoutMs: number, cause?: unknown) {
    super(`No answer within ${timeoutMs} ms (timeoutMs). The call may have taken effect.`, cause);
    this.timeoutMs = timeoutMs;
  }
}
