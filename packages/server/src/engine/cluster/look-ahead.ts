import type { Instant } from "../../domain/message.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type {
  DeliveryStore,
  DuePosition,
  DueTarget,
  DueWindow,
  Store,
} from "../../storage/store.ts";

export interface LookAheadOptions {
  readonly store: Pick<DeliveryStore, "upcoming" | "upcomingByTarget"> &
    Pick<Store, "clock" | "sharing">;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
  readonly found: (target: DueTarget) => void;
  /** Other nodes accept messages and deliver none: what is due at once is found here or nowhere. */
  readonly reliedUpon: () => boolean;
  /** `mostEntries`: how many messages, or targets, one look takes in. */
  readonly bounds: { readonly mostEntries: number };
}

const lookEveryMs = 500;
const lookOftenEveryMs = 50;
const lookAheadMs = 2_000;
/** Where other nodes rely on this one, a walk rests so many times as long as its last part took. */
const restPerWalk = 4;
/** A message that is due when it becomes known is found for so long, however much else is overdue. */
const lookBackMs = 2_000;

/** What is scheduled further ahead than this is found by every node in time. */
export const foundByAllMs = 2 * lookEveryMs;

/**
 * Finds what is due and nobody has told this process of. On a store of its own it finds everything once,
 * at the start. On a shared store it looks again and again, since other nodes schedule too, and may have
 * died before they could deliver.
 *
 * A look usually takes in all that is overdue or due soon. Where more is waiting than fits, at a paused
 * target or any other, it walks through the targets instead of the messages and asks each for its first.
 * At the start it walks through all of them, later through a part at a time. What is due about now has a
 * look of its own. So a backlog of any account makes nothing late, and costs a bounded effort.
 */
export class LookAhead implements RunningPart {
  readonly #options: LookAheadOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;
  /** More is waiting than one look takes in. */
  #inBacklog = false;
  /** The target behind which the walk goes on; null: it begins with the first one. */
  #walkedTo: number | null = null;
  /** A walk has its own pace; looks for what is due now may be more frequent. */
  #walkAgainAt: Instant = -Infinity;

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
    while (this.#walkedTo !== null && !this.#stopped) await this.#walk();
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
    // A clock that was set back must not put the walk off.
    const isWalkDue = now >= this.#walkAgainAt || now < this.#walkAgainAt - lookEveryMs;
    if (!this.#inBacklog || isWalkDue) {
      if (this.#walkedTo === null) {
        const cutShort = await this.#see({
          after: null,
          until,
          limit: this.#options.bounds.mostEntries,
        });
        this.#inBacklog = cutShort !== null;
        if (!this.#inBacklog) return;
      }
      await this.#walk();
      const walkedAt = this.#options.store.clock.now();
      this.#walkAgainAt = walkedAt + this.#restAfter(walkedAt - now);
    }
    let position: DuePosition | null = { time: now - lookBackMs, targetKey: 0 };
    while (position !== null) {
      const { mostEntries } = this.#options.bounds;
      position = await this.#see({ after: position, until, limit: mostEntries });
    }
  }

  async #see(window: DueWindow): Promise<DuePosition | null> {
    const { targets, reached } = await this.#options.store.upcoming(window);
    this.#tell(targets);
    return reached;
  }

  async #walk(): Promise<void> {
    const { store } = this.#options;
    const { targets, reached } = await store.upcomingByTarget({
      after: this.#walkedTo,
      until: store.clock.now() + lookAheadMs,
      limit: this.#options.bounds.mostEntries,
    });
    this.#tell(targets);
    this.#walkedTo = reached;
  }

  /** Only a walk finds a message for the past from a node that only accepts: then the next one is soon. */
  #restAfter(tookMs: number): number {
    if (!this.#options.reliedUpon()) return lookEveryMs;
    return Math.min(Math.max(restPerWalk * tookMs, lookOftenEveryMs), lookEveryMs);
  }

  #tell(targets: readonly DueTarget[]): void {
    for (const target of targets) this.#options.found(target);
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
