/**
 * Thrown by a handler: the message must not come again. Postdate makes it a dead letter at once.
 *
 * @example
 * if (order === undefined) throw new Reject("There is no such order.");
 */
export class Reject extends Error {
  override readonly name: string = "Reject";

  /** The message is shown with the attempt, to whoever may see what targets answer. */
  constructor(message = "Rejected.", options?: ErrorOptions) {
    super(message, options);
  }
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

  /** The message is shown with the attempt, to whoever may see what targets answer. */
  constructor(delayMs: number, message = "Later.", options?: ErrorOptions) {
    super(message, options);
    if (!(delayMs >= 0 && delayMs <= Number.MAX_SAFE_INTEGER)) {
      throw new RangeError(`RetryLater needs a number of milliseconds, not ${delayMs}.`);
    }
    this.delayMs = delayMs;
  }
}
