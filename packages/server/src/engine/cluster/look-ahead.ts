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
import type { ClusterObserver } from "./cluster-observer.ts";

export interface LookAheadOptions {
  readonly store: Pick<DeliveryStore, "upcoming" | "upcomingByTarget"> &
    Pick<Store, "clock" | "sharing">;
  readonly timers: Timers;
  readonly observer: Pick<ClusterObserver, "lookedAhead" | "trouble">;
  readonly found: (target: DueTarget) => void;
  /** Other nodes accept messages and deliver none, so only nodes like this one find what is due at once. */
  readonly reliedUpon: () => boolean;
  /** `mostEntries`: how many messages, or targets, one look reads. */
  readonly bounds: { readonly mostEntries: number };
}

const lookEveryMs = 500;
const lookOftenEveryMs = 50;
const lookAheadMs = 2_000;
/**
 * When other nodes rely on this one, it rests after a part of a walk for this many times the part's
 * duration.
 */
const restPerWalk = 4;
/** A message that is already due when this node learns of it is found for this long, behind any backlog. */
const lookBackMs = 2_000;

/** Every node finds in time what is scheduled further ahead than this. */
export const foundByAllMs = 2 * lookEveryMs;

/**
 * Finds due messages that no operation has told this process of. On its own store it finds everything
 * once, at the start. On a shared store it looks again and again, because other nodes schedule too and
 * may die before they deliver.
 *
 * A look usually reads all that is overdue or due soon. When more is waiting than fits, for a paused
 * target or any other, it walks through the targets instead and asks each for its first message. At the
 * start it walks through all targets, later through a part at a time. A separate look covers what is
 * due about now. So no account's backlog makes another message late, and each look costs a bounded
 * effort.
 */
export class LookAhead implements RunningPart {
  readonly #options: LookAheadOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;
  /** More is waiting than one look reads. */
  #inBacklog = false;
  /** The walk goes on after this target; null: it begins with the first one. */
  #walkedTo: number | null = null;
  /** A walk has its own pace, because looks for what is due now may come more often. */
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
    await this.#lookAtBoth();
    this.#options.observer.lookedAhead();
  }

  /** At what is overdue, and at what is due about now. */
  async #lookAtBoth(): Promise<void> {
    const now = this.#options.store.clock.now();
    const until = now + lookAheadMs;
    // The walk must not wait longer when the clock is set back.
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

  /**
   * A node that only accepts may schedule a message for the past. Only a walk finds it, so the next
   * walk comes soon.
   */
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
