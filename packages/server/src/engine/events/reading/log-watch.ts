import type { RunningPart } from "../../../platform/running-parts.ts";
import type { Timers } from "../../../platform/timers.ts";
import type { LogSpan, Store } from "../../../storage/store.ts";
import { RepeatedLook } from "../../../platform/repeated-look.ts";

export interface LogWatchOptions {
  readonly store: Pick<Store, "logSpans" | "sharing">;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
}

/** How far a log was written when somebody looked. */
export interface SeenSpan extends LogSpan {
  /** From `ask`. */
  readonly look: number;
}

type OnSpan = (span: SeenSpan) => void;

interface Watched {
  readonly listeners: Set<OnSpan>;
  span: LogSpan | undefined;
}

/** The embedded store answers from memory. */
const ownEveryMs = 50;
const sharedEveryMs = 100;

/** Looks how far the logs of accounts are written: one look for all accounts that somebody watches. */
export class LogWatch implements RunningPart {
  readonly #store: LogWatchOptions["store"];
  readonly #accounts = new Map<string, Watched>();
  readonly #looks: RepeatedLook;
  #asked = 0;

  constructor({ store, timers, observer }: LogWatchOptions) {
    this.#store = store;
    this.#looks = new RepeatedLook({
      timers,
      look: () => this.#look(),
      onFailure: (error) => observer.trouble(error, "looking for events"),
    });
  }

  /**
   * The number of a look that begins now, here or elsewhere. A log may be set back to an earlier state, so of two spans the one
   * that was asked for later counts, and not the longer one.
   */
  ask(): number {
    return ++this.#asked;
  }

  /** Calls back soon with the log's span, and again when it has changed, until the watch is closed. */
  watch(accountId: string, onSpan: OnSpan): { close(): void } {
    const account = this.#accounts.get(accountId) ?? { listeners: new Set(), span: undefined };
    this.#accounts.set(accountId, account);
    // The same function may watch twice.
    const listener: OnSpan = (span) => onSpan(span);
    account.listeners.add(listener);
    // What is known may be a look old, and the new listener has seen none.
    account.span = undefined;
    this.#looks.need(0);
    return {
      close: () => {
        account.listeners.delete(listener);
        if (account.listeners.size === 0) this.#accounts.delete(accountId);
      },
    };
  }

  async start(): Promise<void> {}

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(): Promise<number | null> {
    const asked = [...this.#accounts.keys()];
    if (asked.length === 0) return null;
    const look = this.ask();
    const spans = await this.#store.logSpans(asked);
    for (const [accountId, span] of spans) {
      const account = this.#accounts.get(accountId);
      if (account === undefined || isSame(account.span, span)) continue;
      account.span = span;
      for (const listener of [...account.listeners]) listener({ ...span, look });
    }
    return this.#store.sharing === null ? ownEveryMs : sharedEveryMs;
  }
}

function isSame(before: LogSpan | undefined, after: LogSpan): boolean {
  return before?.last === after.last && before.removedUpTo === after.removedUpTo;
}
