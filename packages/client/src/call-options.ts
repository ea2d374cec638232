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

const longestTimerMs = 2_147_483_647;

export function checkTimeout(timeoutMs: number): number {
  const isTime = typeof timeoutMs === "number" && timeoutMs > 0;
  if (!isTime || (timeoutMs > longestTimerMs && timeoutMs !== Infinity)) {
    throw new InputError(
      `timeoutMs must be a number of milliseconds from 1 to ${longestTimerMs}, or Infinity.`,
    );
  }
  return timeoutMs;
}

const ownHeaders: Readonly<Record<string, string>> = {
  authorization: "Give the credential as key, or as clientId and clientSecret.",
  "idempotency-key": "Give it as idempotencyKey, in the options of the call.",
  "content-type": "The client sets it.",
};

/** Checks them before a call, and without their values in the error: they may be secrets. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const ours = ownHeaders[name.toLowerCase()];
    if (ours !== undefined) throw new InputError(`headers cannot have ${name}. ${ours}`);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new InputError(
        `headers: ${JSON.stringify(name)} has a name or value that cannot be sent.`,
      );
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

export function checkIdempotencyKey(key: string): string {
  if (typeof key === "string" && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new InputError("idempotencyKey must be 1 to 255 visible ASCII characters.");
}
