import type { ApiError } from "../api-error.ts";
import type { Answer } from "../transport/answer.ts";
import { apiError } from "../transport/answer.ts";
import type { ApiRequest } from "../transport/api-request.ts";
import type { ErrorObject } from "../types/errors.ts";

interface Item {
  /** The message as it travels alone, in JSON. */
  readonly body: string;
  readonly idempotencyKey: string;
}

export function singleRequest({ body, idempotencyKey }: Item): ApiRequest {
  return { method: "POST", path: "/v1/messages", body, idempotencyKey };
}

/** Each item carries its own key, so the whole may be repeated. */
export function batchRequest(items: readonly Item[]): ApiRequest {
  const messages = items.map(
    ({ body, idempotencyKey }) =>
      `${body.slice(0, -1)},"idempotencyKey":${JSON.stringify(idempotencyKey)}}`,
  );
  const body = `{"messages":[${messages.join(",")}]}`;
  return { method: "POST", path: "/v1/messages/batch", body, has: "results" };
}

/** The error of one item, as a single call would have had it: there, its key is a header. */
export function itemError(answer: Answer, errors: readonly ErrorObject[]): ApiError {
  const code = errors[0]?.code ?? "";
  const status = /500[68]$/.test(code) ? 409 : code === "E-DI-5007" ? 422 : 400;
  const text = JSON.stringify(errors).replaceAll("idempotencyKey", "Idempotency-Key");
  return apiError(answer, JSON.parse(text), status);
}

/**
 * Whether the messages of a request are at fault, and others may not be. A batch may be too large, also for a proxy
 * on the way, or one message spoils the whole.
 */
export function concernsMessages(error: unknown): boolean {
  const { status } = Object(error) as { readonly status: number };
  return [400, 409, 413, 422].includes(status);
}
