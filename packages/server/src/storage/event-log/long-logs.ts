import type { EventPosition } from "../../domain/events/event.ts";

interface Span {
  readonly removedUpTo: EventPosition;
  readonly last: EventPosition;
}

/**
 * The logs that have more events than an account keeps, as this process has seen them grow. Looking for them in the
 * database would read all logs. After a restart a log counts again as soon as it grows.
 */
export class LongLogs<Account> {
  readonly #eventLimit: number;
  readonly #accounts = new Set<Account>();

  constructor(eventLimit: number) {
    this.#eventLimit = eventLimit;
  }

  saw(account: Account, span: Span): void {
    if (this.excessUpTo(span) > span.removedUpTo) this.#accounts.add(account);
    else this.#accounts.delete(account);
  }

  /** Events up to here are too many. */
  excessUpTo({ last }: Pick<Span, "last">): EventPosition {
    return last - this.#eventLimit;
  }

  /** As long as the log does not grow. */
  forget(account: Account): void {
    this.#accounts.delete(account);
  }

  /** One of the accounts; undefined: no log is too long. */
  get next(): Account | undefined {
    const [account] = this.#accounts;
    return account;
  }
}
