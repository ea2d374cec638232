import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { DeliveryStore, Holder, NodeRole, NodeView, Store } from "../../storage/store.ts";
import type { ClusterObserver } from "./cluster-observer.ts";

export interface MembershipOptions {
  readonly store: Pick<
    DeliveryStore,
    "join" | "renew" | "leave" | "listNodes" | "endLapsedMemberships"
  > &
    Pick<Store, "sharing">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly observer: Pick<ClusterObserver, "leaseGranted" | "trouble">;
  readonly nodeId: string;
  readonly role: NodeRole;
  /** The node may act: a membership has begun, or goes on after its lease had lapsed unnoticed. */
  readonly onJoined: () => void;
  /** The nodes that are alive, including this one. */
  readonly onNodes: (nodes: readonly NodeView[]) => void;
  /** Nodes that have died held messages of these targets. The messages are free again. */
  readonly onFreed: (targetKeys: readonly number[]) => void;
  /** Nodes have died or left. What they worked on is free. */
  readonly onGone: () => void;
  /** The membership may be over: everything that belongs to it must stop. */
  readonly onLost: () => void;
}

/**
 * The part of its lease that this node does not use. Other nodes act only after the whole lease has
 * passed.
 */
const marginShare = 0.2;
const renewShare = 0.25;

/**
 * This node's membership of a store that other nodes share. The node renews its lease well before the
 * end. When that fails, it fences itself by its own monotonic clock, before another node may take over
 * what it holds. Then it joins again. On a store of its own, a membership lasts as long as the process.
 */
export class Membership implements RunningPart {
  readonly #options: MembershipOptions;
  #holder: Holder | undefined;
  #validUntil = -Infinity;
  /** When this node last asked to join or to renew. */
  #askedAt = -Infinity;
  #timer: Timer | undefined;
  #fence: Timer | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #lookingAround: Promise<void> | undefined;
  #nextLook: Timer | undefined;
  #stopped = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /** The holder that this node acts as; undefined while it may not act. */
  get holder(): Holder | undefined {
    return this.#options.clock.monotonic() < this.#validUntil ? this.#holder : undefined;
  }

  async start(): Promise<void> {
    await this.#join();
    // What died before this start is known to be dead only after its lease, which counts from the first look.
    if (this.#options.store.sharing !== null) this.#beginToLookAround();
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#fence?.cancel();
    this.#nextLook?.cancel();
    await this.#renewing;
    await this.#lookingAround;
    const { holder } = this;
    this.#validUntil = -Infinity;
    if (holder !== undefined) await this.#options.store.leave(holder).catch(() => {});
  }

  #plan(): void {
    const { store, clock, timers } = this.#options;
    if (store.sharing === null || this.#stopped) return;
    // A lease counts from the request. If the answer took long, little of the lease is left.
    const renewAt = this.#askedAt + store.sharing.leaseMs * renewShare;
    this.#timer = timers.after(Math.max(0, renewAt - clock.monotonic()), () => {
      this.#renewing = this.#renew().finally(() => this.#plan());
    });
  }

  async #renew(): Promise<void> {
    const { store, observer } = this.#options;
    try {
      if (this.#holder !== undefined) {
        const asked = this.#ask();
        const isAlive = await store.renew(this.#holder);
        // The node may have fenced itself before the answer arrived. Then it gives this membership up.
        if (isAlive && this.#holder !== undefined) this.#prolong(asked);
        else this.#lose();
      }
      // At once: until the node has joined again, what it held stays where it is.
      if (this.#holder === undefined && !this.#stopped) await this.#join();
      this.#beginToLookAround();
    } catch (error) {
      observer.trouble(error, "renewing this node's lease");
    }
  }

  /** Not awaited: a slow database must not delay the next renewal. */
  #beginToLookAround(): void {
    if (this.#stopped) return;
    this.#lookingAround ??= this.#lookAround().finally(() => (this.#lookingAround = undefined));
  }

  /** Ends the memberships of nodes that have died, and reads which nodes are alive. */
  async #lookAround(): Promise<void> {
    const { store, observer } = this.#options;
    try {
      const { targetKeys, areSomeGone, nextEndMs } = await store.endLapsedMemberships();
      this.#options.onFreed(targetKeys);
      if (areSomeGone) this.#options.onGone();
      this.#lookAgainIn(nextEndMs);
      this.#options.onNodes(await store.listNodes());
    } catch (error) {
      observer.trouble(error, "looking after the other nodes");
    }
  }

  /** At the moment when a dead node's lease is over, if this node would not look around before. */
  #lookAgainIn(ms: number | null): void {
    const { store, timers } = this.#options;
    this.#nextLook?.cancel();
    if (ms === null || ms >= store.sharing!.leaseMs * renewShare || this.#stopped) return;
    this.#nextLook = timers.after(ms, () => this.#beginToLookAround());
  }

  async #join(): Promise<void> {
    const { store, nodeId, role } = this.#options;
    const asked = this.#ask();
    this.#holder = await store.join(nodeId, role);
    this.#prolong(asked);
  }

  #ask(): number {
    return (this.#askedAt = this.#options.clock.monotonic());
  }

  /** Counts from the request, which is never later than the moment when the store granted the lease. */
  #prolong(asked: number): void {
    const { store, clock, timers, observer, onJoined } = this.#options;
    // A process that was suspended may renew before its own timer fences it.
    const hadLapsed = clock.monotonic() >= this.#validUntil;
    if (store.sharing === null) {
      this.#validUntil = Infinity;
    } else {
      this.#validUntil = asked + store.sharing.leaseMs * (1 - marginShare);
      observer.leaseGranted(asked);
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
