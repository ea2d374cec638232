import type { HeadersLike } from "./header.ts";
import type { ReadBody } from "./raw-body.ts";
import { Reject, RetryLater } from "./receipts.ts";
import { VerificationError } from "./verification-error.ts";
import type { VerificationFailure } from "./verification-error.ts";
import { verifySource } from "./verify.ts";
import type { VerifyOptions } from "./verify.ts";
import type { Webhook } from "./webhook.ts";

/** Handles one delivery. When it resolves, the message is delivered; when it throws, it comes again. */
export type Handler = (webhook: Webhook) => void | Promise<void>;

export interface ReceiveOptions extends VerifyOptions {
  /**
   * Told of every `VerificationError`, and of what a handler throws besides `Reject` and `RetryLater`. By
   * default, what is the receiver's own fault goes to `console.error`, and a stranger's request nowhere.
   */
  readonly onError?: (error: unknown) => void | Promise<void>;
}

/** What to answer, in no framework's terms. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | null;
}

export interface Delivery {
  readonly method: string | undefined;
  readonly headers: HeadersLike;
  readonly readBody: ReadBody;
}

/**
 * The status of each failure. None of them is final for Postdate, unless the target's policy says so: a wrong
 * secret, a wrong clock or a parser in front can be mended, and the message then arrives with a later attempt.
 */
const statuses: Readonly<Record<VerificationFailure, number>> = {
  "missing-header": 401,
  "bad-timestamp": 401,
  "too-old": 401,
  "too-new": 401,
  "no-match": 401,
  "too-large": 413,
  "unreadable-body": 400,
  "parsed-body": 500,
  "bad-secret": 500,
};

/** Verifies a delivery, has it handled, and says what to answer. Never throws. */
export async function answerTo(
  { method, headers, readBody }: Delivery,
  options: ReceiveOptions,
  handle: Handler,
): Promise<Answer> {
  if (method !== "POST") return answer(405, "Deliveries are POST requests.", { allow: "POST" });
  try {
    const webhook = await verifySource(headers, readBody, options);
    const result: unknown = await handle(webhook);
    if (typeof Response === "function" && result instanceof Response) {
      // It would be dropped, and a message that it refuses would count as delivered.
      throw new TypeError(
        "A handler answers by returning nothing, or throws: it returns no Response.",
      );
    }
    return { status: 204, headers: {}, text: null };
  } catch (error) {
    return answerToError(error, options.onError);
  }
}

async function answerToError(error: unknown, onError: ReceiveOptions["onError"]): Promise<Answer> {
  if (error instanceof Reject) return answer(410, error.message);
  if (error instanceof RetryLater) {
    const seconds = String(Math.ceil(error.delayMs / 1_000));
    return answer(503, error.message, { "retry-after": seconds });
  }
  const status = error instanceof VerificationError ? statuses[error.reason] : 500;
  try {
    if (onError !== undefined) await onError(error);
    // oxlint-disable-next-line no-console -- Without a hook, nobody would learn why messages fail.
    else if (status === 500) console.error(error);
  } catch {
    // A hook that fails changes no answer.
  }
  // The sender keeps this text with the attempt. What failed inside is not its business.
  return answer(status, status === 500 ? "The receiver failed." : (error as Error).message);
}

function answer(status: number, text: string, headers: Answer["headers"] = {}): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, text };
}
