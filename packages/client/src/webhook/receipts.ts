/**
 * Thrown by a handler: the message must not come again. Postdate makes it a dead letter at once.
 *
 * @example
 * if (order === undefined) throw new Reject("There is no such order.");
 */
export class Reject extends Error {
  override readonly name: string = "Reject";
}

/**
 * Thrown by a handler: the message may come again after this time, and not before. The target's retry policy
 * bounds the wait (`maxRetryAfterMs`), and its own delay applies if that is longer.
 *
 * @example
 * if (ledger.isClosed) throw new RetryLater(15 * 60_000, "The ledger opens again soon.");
 */
export class RetryLater extends Error {
  override readonly name: string = "RetryLater";
  readonly delayMs: number;

  constructor(delayMs: number, message?: string, options?: ErrorOptions) {
    super(message, options);
    if (!(delayMs >= 0 && delayMs < 1e15)) throw new RangeError(`not a delay: ${delayMs} ms`);
    this.delayMs = delayMs;
  }
}
