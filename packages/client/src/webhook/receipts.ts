/**
 * Thrown by a handler: the message must not come again. Postdate makes it a dead letter at once.
 *
 * @example
 * ```ts
 * import { receive, Reject } from "@postdate/client/webhook";
 *
 * export const POST = receive({ secret: process.env.POSTDATE_WEBHOOK_SECRET }, async ({ payload }) => {
 *   if (payload === "") throw new Reject("There is no order in it.");
 * });
 * ```
 */
export class Reject extends Error {
  override readonly name: string = "Reject";
}

/**
 * Thrown by a handler: the message may come again after this time, and not before. The target's retry policy
 * bounds the wait (`maxRetryAfterMs`), and its own delay applies if that is longer.
 *
 * @example
 * ```ts
 * import { receive, RetryLater } from "@postdate/client/webhook";
 *
 * export const POST = receive({ secret: process.env.POSTDATE_WEBHOOK_SECRET }, async () => {
 *   if (new Date().getDay() === 0) throw new RetryLater(3_600_000, "The ledger is closed on Sundays.");
 * });
 * ```
 */
export class RetryLater extends Error {
  override readonly name: string = "RetryLater";
  declare readonly delayMs: number;

  constructor(delayMs: number, message?: string, options?: ErrorOptions) {
    super(message, options);
    if (!(delayMs >= 0)) throw new RangeError(`${delayMs} ms is no delay`);
    this.delayMs = delayMs;
  }
}
