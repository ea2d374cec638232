import type { Instant } from "../domain/message.ts";
import type { Timer, Timers } from "../platform/timers.ts";
import type { DeliveryStore, Store } from "../storage/store.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";

export interface LookAheadOptions {
  readonly store: Pick<DeliveryStore, "upcoming"> & Pick<Store, "clock" | "sharing">;
  readonly timers: Timers;
  readonly observer: DeliveryObserver;
  readonly found: (targetKey: number, dueAt: Instant) => void;
}

/**
 * Finds what is due and nobody has told this process of. On a store of its own that is once, at the
 * start, everything; on a shared one it is what comes next, again and again, since other nodes schedule
 * too, and may have died before they could deliver.
 */
export class LookAhead {
  readonly #options: LookAheadOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: LookAheadOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#look();
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, found } = this.#options;
    const until = store.sharing && store.clock.now() + store.sharing.lookAheadMs;
    for (const { targetKey, dueAt } of await store.upcoming(until)) found(targetKey, dueAt);
  }

  #plan(): void {
    const { store, timers, observer } = this.#options;
    if (store.sharing === null || this.#stopped) return;
    this.#timer = timers.after(store.sharing.lookEveryMs, () => {
      this.#looking = this.#look()
        .catch((error: unknown) => observer.trouble(error, "looking ahead"))
        .finally(() => this.#plan());
    });
  }
}
