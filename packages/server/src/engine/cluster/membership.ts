import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { DeliveryStore, Holder, NodeRole, NodeView, Store } from "../../storage/store.ts";

export interface MembershipOptions {
  readonly store: Pick<
    DeliveryStore,
    "join" | "renew" | "leave" | "listNodes" | "endLapsedMemberships"
  > &
    Pick<Store, "sharing">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
  readonly nodeId: string;
  readonly role: NodeRole;
  /** The node may act: a life has begun, or goes on after its lease had lapsed unnoticed. */
  readonly onJoined: () => void;
  /** Who is alive, this node among them. */
  readonly onNodes: (nodes: readonly NodeView[]) => void;
  /** Messages of these targets were held by nodes that have died, and are free again. */
  readonly onFreed: (targetKeys: readonly number[]) => void;
  /** The life may be over: nothing of it may go on. */
  readonly onLost: () => void;
}

/** The part of a lease that this node gives up for safety: others act only when all of it has passed. */
const marginShare = 0.2;
const renewShare = 0.25;

/**
 * This node's life on a store that others share. The node prolongs its lease well before the end. When
 * that fails, the node fences itself by its own monotonic clock, before another node may take over what
 * it holds, and joins again. On a store of its own a life lasts as long as the process.
 */
export class Membership implements RunningPart {
  readonly #options: MembershipOptions;
  #holder: Holder | undefined;
  #validUntil = -Infinity;
  #timer: Timer | undefined;
  #fence: Timer | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #lookingAround: Promise<void> | undefined;
  #stopped = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** Who this node is now; undefined while it may not act. */
  get holder(): Holder | undefined {
    return this.#options.clock.monotonic() < this.#validUntil ? this.#holder : undefined;
  }

  async start(): Promise<void> {
    await this.#join();
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#fence?.cancel();
    await this.#renewing;
    await this.#lookingAround;
    const { holder } = this;
    this.#validUntil = -Infinity;
    if (holder !== undefined) await this.#options.store.leave(holder).catch(() => {});
  }

  #plan(): void {
    const { sharing } = this.#options.store;
    if (sharing === null || this.#stopped) return;
    this.#timer = this.#options.timers.after(sharing.leaseMs * renewShare, () => {
      this.#renewing = this.#renew().finally(() => this.#plan());
    });
  }

  async #renew(): Promise<void> {
    const { store, clock, observer } = this.#options;
    try {
      if (this.#holder === undefined) {
        await this.#join();
      } else {
        const asked = clock.monotonic();
        const isAlive = await store.renew(this.#holder);
        // The fence may have fallen while the answer was on its way: then the life is given up.
        if (isAlive && this.#holder !== undefined) this.#prolong(asked);
        else this.#lose();
      }
      // Not waited for: on a slow database it must not put off the next renewal.
      this.#lookingAround ??= this.#lookAround().finally(() => (this.#lookingAround = undefined));
    } catch (error) {
      observer.trouble(error, "renewing this node's lease");
    }
  }

  /** Ends the lives of nodes that have died, and sees who is there. */
  async #lookAround(): Promise<void> {
    const { store, observer } = this.#options;
    try {
      const { targetKeys } = await store.endLapsedMemberships();
      this.#options.onFreed(targetKeys);
      this.#options.onNodes(await store.listNodes());
    } catch (error) {
      observer.trouble(error, "looking after the other nodes");
    }
  }

  async #join(): Promise<void> {
    const { store, clock, nodeId, role } = this.#options;
    const asked = clock.monotonic();
    this.#holder = await store.join(nodeId, role);
    this.#prolong(asked);
  }

  /** Counted from when it was asked for, which is never later than when the store granted it. */
  #prolong(asked: number): void {
    const { store, clock, timers, onJoined } = this.#options;
    // A process that was stopped for a while may renew before its fence falls.
    const hadLapsed = clock.monotonic() >= this.#validUntil;
    if (store.sharing === null) {
      this.#validUntil = Infinity;
    } else {
      this.#validUntil = asked + store.sharing.leaseMs * (1 - marginShare);
      this.#fence?.cancel();
      this.#fence = timers.after(this.#validUntil - clock.monotonic(), () => this.#lose());
    }
    if (hadLapsed) onJoined();
  }

  #lose(): void {
    if (this.#holder === undefined || this.#stopped) return;
    this.#holder = undefined;
    this.#validUntil = -Infinity;
    this.#fence?.cancel();
    this.#options.onLost();
  }
}
