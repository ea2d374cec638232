import { ApiError } from "../api-error.ts";
import { ConnectionError } from "../connection-error.ts";
import type { ApiRequest } from "../transport/api-request.ts";
import type { Call } from "../transport/transport.ts";
import type { ErrorObject } from "../types/errors.ts";

interface Item {
  readonly body: string;
  readonly idempotencyKey: string;
}

export function singleRequest({ body, idempotencyKey }: Item): ApiRequest {
  return { method: "POST", path: "/v1/messages", body, idempotencyKey, isRepeatable: true };
}

/** Each item carries its own key, so the whole may be repeated. */
export function batchRequest(items: readonly Item[]): ApiRequest {
  const messages = items.map(
    ({ body, idempotencyKey }) =>
      `${body.slice(0, -1)},"idempotencyKey":${JSON.stringify(idempotencyKey)}}`,
  );
  const body = `{"messages":[${messages.join(",")}]}`;
  return { method: "POST", path: "/v1/messages/batch", body, isRepeatable: true };
}

/** The error of one item, as a single call would have had it: a key used before has a status of its own. */
export function itemError(errors: readonly ErrorObject[], requestId: string | null): ApiError {
  const status = errors[0]?.code === "E-DI-5007" ? 422 : 400;
  return new ApiError({ status, errors, requestId, retryAfterMs: null });
}

/**
 * Whether the batch is at fault and its messages may not be: it is too large, also for a proxy on the way, or
 * one spoils the whole.
 */
export function concernsTheBatch(error: unknown): boolean {
  const { status } = error as { readonly status?: number };
  return [400, 413, 422].includes(status ?? 0);
}

/** Callers may change an error that they catch, so each has its own. */
export function ownError(error: unknown): unknown {
  if (error instanceof ApiError) return new ApiError(error);
  if (error instanceof ConnectionError) return new ConnectionError(error.message, error);
  return error;
}

/** Callers come to the end of their own deadlines a little before the batch does. */
export function longestTimeout(calls: readonly Call[]): number {
  return Math.max(...calls.map(({ deadline }) => deadline.remainingMs), 0) + 1_000;
}

/** Ends a batch for which nobody waits any more. Returns what stops the watch. */
export function abortWhenAllLeft(waiting: readonly Call[], batch: Call): () => void {
  let left = 0;
  const leave = (): void => {
    left++;
    if (left === waiting.length) batch.deadline.abort();
  };
  for (const { deadline } of waiting) deadline.signal.addEventListener("abort", leave);
  return () => {
    for (const { deadline } of waiting) deadline.signal.removeEventListener("abort", leave);
  };
}
