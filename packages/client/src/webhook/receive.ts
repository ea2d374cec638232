import { answerTo } from "./answer.ts";
import type { Handler, ReceiveOptions } from "./answer.ts";
import { readerOf } from "./verify.ts";

/** A Web `Request`, or what frameworks wrap it into: `{ request }` (SvelteKit, Astro), Hono's context. */
export type RequestSource =
  | Request
  | { readonly request: Request }
  | { readonly req: { readonly raw: Request } };

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
 * A request that is not genuine gets 401, and its message comes again: only 410 and the statuses that the
 * target's policy lists as final end a message.
 *
 * @example
 * export const POST = receive({ secret: process.env["POSTDATE_WEBHOOK_SECRET"] }, async (webhook) => {
 *   const { orderId } = webhook.json<{ orderId: string }>();
 *   await remind(orderId);
 * });
 */
export function receive(
  options: ReceiveOptions,
  handler: Handler,
): (source: RequestSource) => Promise<Response> {
  return async (source) => {
    const request = requestOf(source);
    const { method, headers } = request;
    const answer = await answerTo(
      { method, headers, readBody: readerOf(request) },
      options,
      handler,
    );
    return new Response(answer.text, { status: answer.status, headers: answer.headers });
  };
}

function requestOf(source: RequestSource): Request {
  if ("request" in source) return source.request;
  return "req" in source ? source.req.raw : source;
}
