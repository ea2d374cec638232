import { check, InputError, refuseUnknown } from "./input-error.ts";

/** What every method takes as its last argument. */
export interface CallOptions {
  /** Ends the call: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** The deadline over all tries. `Infinity` means none. */
  readonly timeoutMs?: number | undefined;
  /** Headers besides those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ScheduleOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters. Two calls with the same key and content make one message, or one job.
   * The client makes a key for each call that has none, so that its own retries are safe.
   */
  readonly idempotencyKey?: string | undefined;
}

export function checkTimeout(timeoutMs: number): number {
  const isRight = typeof timeoutMs === "number" && timeoutMs > 0;
  check(isRight, "timeoutMs must be milliseconds above 0, or Infinity.");
  return timeoutMs;
}

const ownHeaders = ["authorization", "content-type", "idempotency-key"];

/** Checks them before a call. The error shows no values: they may be secrets. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  try {
    const checked = new Headers(headers);
    if (!ownHeaders.some((name) => checked.has(name))) return Object.fromEntries(checked);
  } catch {}
  throw new InputError(`headers cannot have ${ownHeaders.join(", ")}, or what cannot be sent.`);
}

/** Returns the headers among them, checked. */
export function checkOptions(options: ScheduleOptions): CallOptions["headers"] {
  const { signal: _, idempotencyKey: __, timeoutMs = 1, headers, ...unknown } = options;
  refuseUnknown(unknown);
  checkTimeout(timeoutMs);
  return headers && checkHeaders(headers);
}

/** Checks what travels in a header. The error does not show it: it may be a secret. */
export function checkText(name: string, text: string, most: number): string {
  const isRight = typeof text === "string" && /^[!-~]+$/.test(text) && text.length <= most;
  check(isRight, `${name} must be 1 to ${most} visible ASCII characters.`);
  return text;
}
