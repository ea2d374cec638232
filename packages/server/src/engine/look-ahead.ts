import type { Instant } from "../domain/message.ts";
import type { Timer, Timers } from "../platform/timers.ts";
import type { DeliveryStore, DuePlace, DueWindow, FoundTarget, Store } from "../storage/store.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";

export interface LookAheadOptions {
  readonly store: Pick<DeliveryStore, "upcoming"> & Pick<Store, "clock" | "sharing">;
  readonly timers: Timers;
  readonly observer: DeliveryObserver;
  readonly found: (target: FoundTarget) => void;
  /** Others accept messages and deliver none: what is due at once is found here or nowhere. */
  readonly reliedUpon: () => boolean;
}

const lookEveryMs = 500;
const lookOftenEveryMs = 50;
const lookAheadMs = 2_000;
/** What becomes known while it is due already is found again for so long, whatever else is overdue. */
const lookBackMs = 2_000;
const mostEntries = 5_000;

/** Who schedules something further ahead than this can rely on every node finding it in time. */
export const foundByAllMs = 2 * lookEveryMs;

/**
 * Finds what is due and nobody has told this process of. On a store of its own that is once, at the
 * start, everything. On a shared one it is done again and again, since other nodes schedule too, and
 * may have died before they could deliver.
 *
 * A look usually takes in all that is overdue or due soon. Where a target has more waiting than fits,
 * the overdue are walked through a part at a time, and what is due about now has a look of its own, so
 * that a backlog makes nothing late and costs a bounded effort.
 */
export class LookAhead {
  readonly #options: LookAheadOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;
  /** Where the walk through the overdue stands; null: it begins anew. */
  #place: DuePlace | null = null;
  /** A walk goes on at its own pace, however often is looked for what is due now. */
  #walkAgainAt: Instant = 0;

  constructor(options: LookAheadOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { store } = this.#options;
    if (store.sharing === null) {
      await this.#see({ after: null, until: Infinity, limit: Infinity });
      return;
    }
    await this.#look();
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const now = this.#options.store.clock.now();
    const until = now + lookAheadMs;
    const inBacklog = this.#place !== null;
    if (!inBacklog || now >= this.#walkAgainAt) {
      this.#place = await this.#see({ after: this.#place, until, limit: mostEntries });
      this.#walkAgainAt = now + lookEveryMs;
      if (!inBacklog && this.#place === null) return;
    }
    let place: DuePlace | null = { time: now - lookBackMs, targetKey: 0 };
    while (place !== null) place = await this.#see({ after: place, until, limit: mostEntries });
  }

  async #see(window: DueWindow): Promise<DuePlace | null> {
    const { targets, reached } = await this.#options.store.upcoming(window);
    for (const target of targets) this.#options.found(target);
    return reached;
  }

  #plan(): void {
    const { timers, observer, reliedUpon } = this.#options;
    if (this.#stopped) return;
    this.#timer = timers.after(reliedUpon() ? lookOftenEveryMs : lookEveryMs, () => {
      this.#looking = this.#look()
        .catch((error: unknown) => observer.trouble(error, "looking ahead"))
        .finally(() => this.#plan());
    });
  }
}
