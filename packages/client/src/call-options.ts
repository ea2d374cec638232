import { InputError } from "./input-error.ts";

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
   * 1 to 255 visible ASCII characters. Two calls with the same key and content schedule one message.
   * The client makes a key for each call that has none, so that its own retries are safe.
   */
  readonly idempotencyKey?: string | undefined;
}

export function checkTimeout(timeoutMs: number): number {
  if (typeof timeoutMs === "number" && timeoutMs > 0) return timeoutMs;
  throw new InputError("timeoutMs must be milliseconds above 0, or Infinity.");
}

const ownHeaders = ["authorization", "content-type", "idempotency-key"];

/** Checks them before a call. The errors show no values: they may be secrets. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  let checked: Headers;
  try {
    checked = new Headers(headers);
  } catch {
    throw new InputError("headers has a name or value that cannot be sent.");
  }
  const ours = ownHeaders.find((name) => checked.has(name));
  if (ours === undefined) return Object.fromEntries(checked);
  throw new InputError(`headers cannot have ${ours}: the client sets it.`);
}

const optionNames = new Set(["signal", "timeoutMs", "headers", "idempotencyKey"]);

export function checkOptions(options: CallOptions): void {
  const unknown = Object.keys(options).find((name) => !optionNames.has(name));
  if (unknown !== undefined) throw new InputError(`There is no option ${unknown}.`);
  checkTimeout(options.timeoutMs ?? 1);
  if (options.headers) checkHeaders(options.headers);
}

export function checkIdempotencyKey(key: string): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new InputError("idempotencyKey must be 1 to 255 visible ASCII characters.");
}
