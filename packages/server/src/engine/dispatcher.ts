import type { Instant } from "../domain/message.ts";
import type { Target } from "../domain/target.ts";
import type { Clock } from "../platform/clock.ts";
import type { Random } from "../platform/random.ts";
import type { Timer, Timers } from "../platform/timers.ts";
import { pause } from "../platform/timers.ts";
import type {
  ClaimRequest,
  ClaimResult,
  DeliveryStore,
  Holder,
  NodeRole,
  Store,
  TargetStore,
} from "../storage/store.ts";
import type { TargetKinds } from "../targets/target-kind.ts";
import { Agenda } from "./agenda.ts";
import { Deliveries } from "./deliveries.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { OpenTarget } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { foundByAllMs, LookAhead } from "./look-ahead.ts";
import { Membership } from "./membership.ts";
import { Precedence } from "./precedence.ts";
import { Slots } from "./slots.ts";

export interface DispatcherOptions {
  readonly store: DeliveryStore &
    Pick<TargetStore, "getTargetByKey"> &
    Pick<Store, "clock" | "sharing">;
  readonly kinds: TargetKinds;
  /** Makes a target's settings and secrets readable. */
  readonly openTarget: (target: Target) => OpenTarget;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly observer: DeliveryObserver;
  readonly nodeId: string;
  /** `api`: a node that only shows that it lives, and leaves delivering to others. */
  readonly role: NodeRole;
  readonly maxInFlight: number;
  readonly drainTimeoutMs: number;
}

/** Wall clocks step and machines sleep: no wait is longer than this before the clock is read again. */
const longestSleepMs = 1_000;
const storeRetryMs = 1_000;
/** What one claim brings is sent in one go: no more than holds up nobody else for long. */
const mostAtOnce = 50;

/**
 * Sends what is due. Two questions are kept apart: *which target has something due?* is answered by the
 * agenda, in memory; *what may be sent now?* by one batched claim over the targets that are due and
 * have room. A target that is paused, busy or over its rate is not asked, so what it has waiting costs
 * nobody anything.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #agenda = new Agenda();
  readonly #lanes: Lanes;
  readonly #slots: Slots;
  readonly #deliveries: Deliveries;
  readonly #membership: Membership;
  readonly #lookAhead: LookAhead;
  readonly #precedence: Precedence;
  #timer: Timer | undefined;
  #armedFor: Instant = Infinity;
  /** There are nodes that accept messages and deliver none. */
  #apiNodes = false;
  #claiming = false;
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxInFlight);
    this.#lanes = new Lanes({ ...options, reopened: (targetKey) => this.noteDue(targetKey, 0) });
    this.#deliveries = new Deliveries({
      ...options,
      lanes: this.#lanes,
      slots: this.#slots,
      holds: (holder) => this.#membership.holder?.epoch === holder.epoch,
      noteDue: (targetKey, dueAt) => this.noteDue(targetKey, dueAt),
      slotFreed: () => {
        if (this.#lanes.starvedCount > 0) this.#wake();
      },
    });
    this.#lookAhead = new LookAhead({
      ...options,
      found: (targetKey, dueAt) => {
        // Nobody may have told us that it was resumed: what the store finds due is not paused.
        this.#lanes.forgetPause(targetKey);
        this.#note(targetKey, this.#inTurn(targetKey, dueAt));
      },
      reliedUpon: () => this.#apiNodes,
    });
    this.#precedence = new Precedence(options.nodeId);
    this.#membership = new Membership({
      ...options,
      onJoined: () => this.#wake(),
      onNodes: (nodes) => {
        const delivering = nodes.filter(({ role }) => role !== "api");
        this.#precedence.learn(delivering.map(({ nodeId }) => nodeId));
        this.#apiNodes = delivering.length < nodes.length;
      },
      onFreed: (targetKeys) => {
        for (const targetKey of targetKeys) this.noteDue(targetKey, 0);
      },
      onLost: () => {
        options.observer.trouble(new Error("the lease has run out"), "holding this node's lease");
        this.#deliveries.interrupt();
      },
    });
  }

  async start(): Promise<void> {
    await this.#membership.start();
    if (this.#options.role === "api") return;
    await this.#lookAhead.start();
    this.#wake();
  }

  /** A target has something due at this instant: news from whoever scheduled it. */
  noteDue(targetKey: number, dueAt: Instant): void {
    const known = dueAt > this.#options.store.clock.now() + foundByAllMs;
    this.#note(targetKey, known ? this.#inTurn(targetKey, dueAt) : dueAt);
  }

  #note(targetKey: number, dueAt: Instant): void {
    if (this.#options.role === "api") return;
    this.#agenda.note(targetKey, dueAt);
    if (dueAt < this.#armedFor) this.#wake();
  }

  /** When to turn to what every node knows of; what is overdue is everybody's at once. */
  #inTurn(targetKey: number, dueAt: Instant): Instant {
    const overdue = dueAt <= this.#options.store.clock.now();
    return overdue ? dueAt : dueAt + this.#precedence.delayMs(targetKey);
  }

  /** A target was changed, paused, resumed or removed. */
  targetChanged(targetKey: number): void {
    this.#lanes.forget(targetKey);
    this.noteDue(targetKey, 0);
  }

  /** Claims nothing more, lets what is in flight finish for a while, then interrupts it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#timer?.cancel();
    const drained = new AbortController();
    await this.#lookAhead.stop();
    const allEnded = this.#deliveries.allEnded().then(() => drained.abort());
    await pause(this.#options.timers, this.#options.drainTimeoutMs, drained.signal);
    this.#deliveries.giveUp();
    await allEnded;
    await this.#membership.stop();
  }

  #wake(): void {
    const { holder } = this.#membership;
    if (this.#claiming || this.#stopping || holder === undefined) return;
    const requests = this.#nextRequests(this.#options.store.clock.now());
    if (requests.length > 0) this.#deliveries.track(this.#claim(holder, requests));
    else this.#sleep();
  }

  /**
   * What to claim now, from those who are due and, while slots are free, from those who had none when
   * they were. A lane that has no use for its turn any more must not keep it from the ones behind.
   */
  #nextRequests(now: Instant): ClaimRequest[] {
    let requests = this.#claimable(now);
    let turns = this.#lanes.starvedCount;
    while (requests.length === 0 && turns > 0 && this.#slots.free > 0) {
      const taken = this.#lanes.takeStarved();
      turns -= taken.length;
      for (const targetKey of taken) this.#agenda.note(targetKey, 0);
      requests = this.#claimable(now);
    }
    return requests;
  }

  #sleep(): void {
    this.#timer?.cancel();
    const dueAt = this.#agenda.nextDueAt;
    this.#armedFor = dueAt ?? Infinity;
    if (dueAt === undefined) return;
    const sleepMs = Math.min(dueAt - this.#options.store.clock.now(), longestSleepMs);
    this.#timer = this.#options.timers.after(sleepMs, () => this.#wake());
  }

  /**
   * For the targets that are due, how much of each may be claimed now; the slots for that are taken.
   * All have an equal share, and whoever has the least in flight goes first: a spike at one target is
   * not ahead of a single message at another, however long it has been due.
   */
  #claimable(now: Instant): ClaimRequest[] {
    const requests: ClaimRequest[] = [];
    const due = this.#agenda.takeDue(now).map((targetKey) => this.#lanes.get(targetKey));
    let left = mostAtOnce;
    due.sort((one, other) => one.inFlight - other.inFlight);
    for (const [index, lane] of due.entries()) {
      const { targetKey } = lane;
      if (left === 0) {
        this.#agenda.note(targetKey, now);
        continue;
      }
      if (lane.target === undefined) continue;
      const room = lane.room(lane.target, now);
      if (room.kind === "paused") continue;
      if (room.kind === "later") {
        this.#agenda.note(targetKey, Math.max(room.at, now + 1));
        continue;
      }
      if (room.kind === "busy") {
        lane.waiting = true;
        continue;
      }
      const share = Math.max(1, Math.floor(left / (due.length - index)));
      const limit = this.#slots.take(Math.min(room.slots, share), lane.inFlight);
      if (limit === 0) {
        this.#lanes.starve(lane);
        continue;
      }
      lane.inFlight += limit;
      left -= limit;
      requests.push({ targetKey, limit });
    }
    return requests;
  }

  async #claim(holder: Holder, requests: readonly ClaimRequest[]): Promise<void> {
    const { store, observer } = this.#options;
    this.#claiming = true;
    try {
      const result = await store.claimDue(holder, requests);
      this.#giveBackUnused(requests, result);
      for (const { targetKey, nextDueAt } of result.targets) {
        if (nextDueAt === null) continue;
        this.#agenda.note(targetKey, this.#inTurn(targetKey, this.#soonest(nextDueAt, result.now)));
      }
      if (this.#stopping)
        await store.releaseClaims(
          holder,
          result.claims.map((c) => c.messageId),
        );
      else this.#deliveries.send(holder, result);
    } catch (error) {
      observer.trouble(error, "claiming due messages");
      this.#giveBackUnused(requests, { now: 0, claims: [], targets: [] });
      for (const { targetKey } of requests) {
        this.#agenda.note(targetKey, store.clock.now() + storeRetryMs);
      }
    } finally {
      this.#claiming = false;
      this.#wake();
    }
  }

  /** What the store holds to be not yet due must not be asked for at once, though our clock is ahead. */
  #soonest(nextDueAt: Instant, claimedAt: Instant): Instant {
    const now = this.#options.store.clock.now();
    return nextDueAt > claimedAt && nextDueAt <= now ? now + nextDueAt - claimedAt : nextDueAt;
  }

  #giveBackUnused(requests: readonly ClaimRequest[], { claims, now }: ClaimResult): void {
    const used = new Map<number, number>();
    for (const { targetKey } of claims) used.set(targetKey, (used.get(targetKey) ?? 0) + 1);
    for (const { targetKey, limit } of requests) {
      const count = used.get(targetKey) ?? 0;
      const lane = this.#lanes.get(targetKey);
      lane.inFlight -= limit - count;
      this.#slots.giveBack(limit - count);
      if (lane.target !== undefined && count > 0) lane.spend(lane.target, now, count);
    }
    this.#options.observer.inFlight(this.#slots.taken);
  }
}
