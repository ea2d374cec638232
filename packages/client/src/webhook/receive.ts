import { Reject, RetryLater } from "./receipts.ts";
import type { SecretChoice } from "./signing-keys.ts";
import { VerificationError } from "./verification-error.ts";
import { verify } from "./verify.ts";
import type { RawRequest, VerifyOptions } from "./verify.ts";
import type { Webhook } from "./webhook.ts";

/** Handles one delivery. When it resolves, the message is delivered; when it throws, it comes again. */
export type Handler = (webhook: Webhook) => void | Promise<void>;

export interface ReceiveOptions extends VerifyOptions {
  /**
   * Told of every `VerificationError`, and of what a handler throws besides `Reject` and `RetryLater`, then with
   * the delivery. By default, what is the receiver's own fault goes to `console.error`. So does the first of each
   * other reason, because a wrong secret or clock looks like a stranger. Requests without a signature go nowhere.
   */
  readonly onError?: (error: unknown, webhook?: Webhook) => void | Promise<void>;
}

/** A Web `Request`, or the method, headers and raw body of any other request. */
export interface ReceivedRequest extends RawRequest {
  readonly method: string | undefined;
}

/** A request, or what frameworks wrap it into: `{ request }` (SvelteKit, Astro), Hono's context. */
export type RequestSource =
  | ReceivedRequest
  | { readonly request: ReceivedRequest }
  | { readonly req: { readonly raw: ReceivedRequest } };

/**
 * A route that receives deliveries: for Next.js, Hono, Workers, Deno, Bun, SvelteKit and whatever else has Web
 * requests. It verifies each one, has it handled, and answers.
 *
 * | The handler | Answer | The message |
 * |---|---|---|
 * | resolves | 204 | is delivered |
 * | throws `Reject` | 410 | is a dead letter at once |
 * | throws `RetryLater` | 503, `Retry-After` | comes again, not before that time |
 * | throws anything else | 500 | comes again |
 *
 * A request that is not genuine gets 401, and one with too large a body 413. Their messages come again too: only
 * 410 and the statuses that the target's policy lists as final end a message.
 *
 * @example
 * ```ts
 * import { receive } from "@postdate/client/webhook";
 *
 * export const POST = receive({ secret: process.env.POSTDATE_WEBHOOK_SECRET }, async (webhook) => {
 *   const { orderId } = webhook.json<{ orderId: string }>();
 *   console.log(webhook.messageId, orderId);
 * });
 * ```
 */
export function receive(
  options: ReceiveOptions,
  handler: Handler,
): (source: RequestSource) => Promise<Response> {
  return async (source) => {
    let webhook: Webhook | undefined;
    try {
      const request = requestOf(source);
      if (request.method !== "POST") return answer(405, "Use POST.", { allow: "POST" });
      webhook = await verify(request, options);
      const result: unknown = await handler(webhook);
      // It would be dropped, and a message that it refuses would count as delivered.
      if (result instanceof Response) throw new TypeError("A handler returns nothing, or throws.");
      return new Response(null, { status: 204 });
    } catch (error) {
      return answerTo(error, options, webhook);
    }
  };
}

function requestOf(source: RequestSource): ReceivedRequest {
  if ("request" in source) return source.request;
  return "req" in source ? source.req.raw : source;
}

async function answerTo(
  error: unknown,
  { onError, secret }: ReceiveOptions,
  webhook: Webhook | undefined,
): Promise<Response> {
  if (error instanceof Reject) return answer(410, error.message);
  if (error instanceof RetryLater) {
    // Longer ones cannot be written as digits. The target's policy bounds the wait anyway.
    const seconds = Math.min(Math.ceil(error.delayMs / 1_000), 1e9);
    return answer(503, error.message, { "retry-after": String(seconds) });
  }
  const status = webhook ? 500 : statusOf(error);
  try {
    if (onError) await onError(error, webhook);
    else if (status === 500 || isNews(error, secret))
      // oxlint-disable-next-line no-console -- Without a hook, nobody would learn why messages fail.
      console.error(webhook?.messageId ?? "Not verified:", error);
  } catch {
    // A hook that fails changes no answer.
  }
  // The sender keeps this text with the attempt. What failed inside is not its business.
  return answer(status, status === 500 ? "The receiver failed." : (error as Error).message);
}

/**
 * None of these is final for Postdate, unless the target's policy says so: a wrong secret, a wrong clock or a
 * parser in front can be mended, and the message then arrives with a later attempt.
 */
function statusOf(error: unknown): number {
  if (!(error instanceof VerificationError)) return 500;
  if (error.reason === "too-large") return 413;
  return error.reason === "parsed-body" || error.reason === "bad-secret" ? 500 : 401;
}

const said = new Set<string>();

/**
 * A wrong secret or clock refuses every delivery, and must not be silent. Strangers can look like that too, so each
 * reason is said once for each secret. A request without a signature is a stranger's.
 */
function isNews(error: unknown, secret: SecretChoice): boolean {
  const { reason } = error as VerificationError;
  return reason !== "missing-header" && said.size < said.add(reason + secret).size;
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers });
}
