import type { Instant } from "../../domain/message.ts";
import type { Target } from "../../domain/target.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type {
  ClaimedTarget,
  ClaimResult,
  DeliveryStore,
  DueTarget,
  Holder,
  NodeRole,
  Store,
  TargetStore,
} from "../../storage/store.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import { Agenda } from "./agenda.ts";
import { Allotter } from "./allotter.ts";
import type { Grant } from "./allotter.ts";
import { engineBounds } from "./bounds.ts";
import type { EngineBounds } from "./bounds.ts";
import { Capacity } from "./capacity.ts";
import { Deliveries } from "./deliveries.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { foundByAllMs, LookAhead } from "../cluster/look-ahead.ts";
import { Membership } from "../cluster/membership.ts";
import { Precedence } from "../cluster/precedence.ts";
import { ReadyLanes } from "./ready-lanes.ts";
import { TargetCopies } from "./target-copies.ts";

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
  readonly bounds?: EngineBounds;
}

/** Wall clocks step and machines sleep: no wait is longer than this before the clock is read again. */
const longestSleepMs = 1_000;
const storeRetryMs = 1_000;
const atOnce = -Infinity;

/**
 * Sends what is due. Two questions are kept apart: *which target has something due?* is answered by the
 * agenda, in memory; *what may be sent now?* by one batched claim over the targets that are due and
 * have room. A target that is paused, busy or over its rate is not asked, so what it has waiting costs
 * nobody anything.
 *
 * A target's way through this: agenda → ready lanes, by account → allotter (capacity, copy of the
 * target) → claim → deliveries → agenda.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #bounds: EngineBounds;
  /** By the store's clock. */
  readonly #agenda = new Agenda();
  /** Lanes that may not claim before an instant, by the monotonic clock. */
  readonly #closed = new Agenda();
  readonly #lanes: Lanes;
  readonly #ready = new ReadyLanes();
  readonly #copies: TargetCopies;
  readonly #capacity: Capacity;
  readonly #allotter: Allotter;
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
    const { bounds = engineBounds } = options;
    this.#bounds = bounds;
    this.#lanes = new Lanes(bounds);
    this.#copies = new TargetCopies({ ...options, bounds });
    this.#capacity = new Capacity(options.maxInFlight);
    this.#allotter = new Allotter({
      ready: this.#ready,
      capacity: this.#capacity,
      copies: this.#copies,
      load: (lane) => this.#load(lane),
      settle: (lane) => this.#lanes.settle(lane),
      bounds,
    });
    this.#deliveries = new Deliveries({
      ...options,
      copies: this.#copies,
      capacity: this.#capacity,
      holds: (holder) => this.#membership.holder?.epoch === holder.epoch,
      noteDue: (lane, dueAt) => this.#noteOwn(lane, dueAt),
      attemptOver: (lane) => this.#attemptOver(lane),
      capacityFreed: () => {
        if (!this.#ready.isEmpty) this.#wake();
      },
    });
    this.#lookAhead = new LookAhead({
      ...options,
      found: (target) => this.#found(target),
      reliedUpon: () => this.#apiNodes,
      bounds,
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
        for (const targetKey of targetKeys) this.#note(null, targetKey, atOnce);
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
  noteDue(accountId: string, targetKey: number, dueAt: Instant): void {
    const known = dueAt > this.#options.store.clock.now() + foundByAllMs;
    this.#note(accountId, targetKey, known ? this.#inTurn(targetKey, dueAt) : dueAt);
  }

  /** A target was changed, paused, resumed or removed. */
  targetChanged(accountId: string, targetKey: number): void {
    this.#copies.forget(targetKey);
    const lane = this.#lanes.find(targetKey);
    if (lane !== undefined) this.#reopen(lane);
    this.#note(accountId, targetKey, atOnce);
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

  /** Another node may have changed the target: what is known of an older revision is forgotten. */
  #found({ accountId, targetKey, revision, dueAt }: DueTarget): void {
    this.#copies.forgetOlderThan(revision, targetKey);
    const lane = this.#lanes.find(targetKey);
    if (lane !== undefined && lane.revision < revision) {
      lane.revision = revision;
      this.#reopen(lane);
    }
    this.#note(accountId, targetKey, this.#inTurn(targetKey, dueAt));
  }

  #noteOwn(lane: Lane, dueAt: Instant): void {
    if (lane.accountId === null) this.#note(null, lane.targetKey, dueAt);
    else this.noteDue(lane.accountId, lane.targetKey, dueAt);
  }

  #note(accountId: string | null, targetKey: number, dueAt: Instant): void {
    if (this.#options.role === "api") return;
    this.#agenda.note(targetKey, accountId, dueAt);
    if (dueAt < this.#armedFor) this.#wake();
  }

  /** When to turn to what every node knows of; what is overdue is everybody's at once. */
  #inTurn(targetKey: number, dueAt: Instant): Instant {
    const overdue = dueAt <= this.#options.store.clock.now();
    return overdue ? dueAt : dueAt + this.#precedence.delayMs(targetKey);
  }

  #wake(): void {
    const { holder } = this.#membership;
    if (this.#claiming || this.#stopping || holder === undefined) return;
    this.#makeReady();
    const grants = this.#allotter.next();
    if (grants.length > 0) this.#deliveries.track(this.#claim(holder, grants));
    else this.#sleep();
  }

  /** Lanes that wait for something else are made ready by that; they lose nothing here. */
  #makeReady(): void {
    const { store, clock } = this.#options;
    for (const { targetKey, accountId } of this.#agenda.takeDue(
      store.clock.now(),
      this.#bounds.mostTaken,
    )) {
      const lane = this.#lanes.get(targetKey, accountId);
      if (lane.standing === "resting") this.#ready.add(lane);
    }
    const now = clock.monotonic();
    for (const { targetKey } of this.#closed.takeDue(now)) {
      const lane = this.#lanes.find(targetKey);
      if (lane?.standing !== "closed") continue;
      if (lane.opensAt <= now) this.#ready.add(lane);
      else this.#closed.note(targetKey, lane.accountId, lane.opensAt);
    }
  }

  #sleep(): void {
    const { store, clock, timers } = this.#options;
    this.#timer?.cancel();
    const dueAt = this.#agenda.nextDueAt ?? Infinity;
    const opensAt = this.#closed.nextDueAt ?? Infinity;
    this.#armedFor = dueAt;
    if (dueAt === Infinity && opensAt === Infinity) return;
    const untilDueMs = Math.min(dueAt - store.clock.now(), opensAt - clock.monotonic());
    this.#timer = timers.after(Math.min(untilDueMs, longestSleepMs), () => this.#wake());
  }

  #load(lane: Lane): void {
    const { observer } = this.#options;
    const account = this.#ready.of(lane.accountId);
    account.loading++;
    this.#copies
      .load(lane.targetKey)
      .finally(() => account.loading--)
      .then(
        (target) => {
          if (target === undefined) return this.#rest(lane);
          lane.loaded = target;
          lane.accountId = target.accountId;
          this.#ready.add(lane);
          this.#wake();
        },
        (error: unknown) => {
          observer.trouble(error, "reading a target");
          this.#close(lane, storeRetryMs);
          this.#wake();
        },
      );
  }

  #rest(lane: Lane): void {
    lane.standing = "resting";
    this.#lanes.settle(lane);
  }

  #close(lane: Lane, forMs: number): void {
    lane.standing = "closed";
    lane.opensAt = this.#options.clock.monotonic() + forMs;
    this.#closed.note(lane.targetKey, lane.accountId, lane.opensAt);
  }

  /** The target is another than the lane knew. */
  #reopen(lane: Lane): void {
    if (lane.standing === "ready") this.#ready.unload(lane);
    if (lane.standing !== "busy" && lane.standing !== "closed") return;
    this.#ready.add(lane);
    this.#wake();
  }

  #attemptOver(lane: Lane): void {
    if (lane.standing === "busy") {
      this.#ready.add(lane);
      this.#wake();
    } else if (lane.standing === "ready" && lane.inFlight === 0) {
      this.#ready.unserve(lane);
    } else {
      this.#lanes.settle(lane);
    }
  }

  async #claim(holder: Holder, grants: readonly Grant[]): Promise<void> {
    const { store, observer } = this.#options;
    this.#claiming = true;
    try {
      const requests = grants.map(({ lane, limit }) => ({ targetKey: lane.targetKey, limit }));
      const result = await store.claimDue(holder, requests).catch((error: unknown) => {
        observer.trouble(error, "claiming due messages");
      });
      if (result === undefined) this.#retryLater(grants);
      else await this.#carryOut(holder, grants, result);
    } finally {
      this.#claiming = false;
      this.#wake();
    }
  }

  async #carryOut(holder: Holder, grants: readonly Grant[], result: ClaimResult): Promise<void> {
    this.#learn(grants, result);
    if (!this.#stopping) return this.#deliveries.send(holder, grants, result);
    const claimed = result.claims.map(({ messageId }) => messageId);
    await this.#options.store.releaseClaims(holder, claimed);
  }

  #retryLater(grants: readonly Grant[]): void {
    for (const grant of grants) {
      this.#close(grant.lane, storeRetryMs);
      this.#giveBack(grant, grant.limit);
    }
  }

  /** What a claim tells of its targets; the capacity that it did not use is given back. */
  #learn(grants: readonly Grant[], { now, claims, targets }: ClaimResult): void {
    const used = new Map<number, number>();
    for (const { targetKey } of claims) used.set(targetKey, (used.get(targetKey) ?? 0) + 1);
    const answers = new Map(targets.map((target) => [target.targetKey, target]));
    for (const grant of grants) {
      const { lane, limit } = grant;
      const answer = answers.get(lane.targetKey);
      if (answer !== undefined) this.#learnOf(lane, answer, now);
      this.#giveBack(grant, limit - (used.get(lane.targetKey) ?? 0));
    }
  }

  #learnOf(lane: Lane, { revision, nextDueAt, closedMs }: ClaimedTarget, now: Instant): void {
    const { targetKey, accountId } = lane;
    lane.revision = Math.max(lane.revision, revision);
    this.#copies.forgetOlderThan(revision, targetKey);
    if (nextDueAt === null) return;
    if (closedMs > 0) return this.#close(lane, closedMs);
    this.#agenda.note(targetKey, accountId, this.#inTurn(targetKey, this.#soonest(nextDueAt, now)));
  }

  /** What the store holds to be not yet due must not be asked for at once, though our clock is ahead. */
  #soonest(nextDueAt: Instant, claimedAt: Instant): Instant {
    const now = this.#options.store.clock.now();
    return nextDueAt > claimedAt && nextDueAt <= now ? now + nextDueAt - claimedAt : nextDueAt;
  }

  #giveBack({ lane, accountId }: Grant, unused: number): void {
    lane.inFlight -= unused;
    this.#capacity.release(accountId, unused);
    this.#options.observer.inFlight(this.#capacity.taken);
    this.#lanes.settle(lane);
  }
}
