import type { Instant } from "../../domain/message.ts";
import type { Target } from "../../domain/target.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type {
  DeliveryStore,
  DueTarget,
  Holder,
  NodeRole,
  Store,
  TargetStore,
} from "../../storage/store.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import type { Membership } from "../cluster/membership.ts";
import type { Precedence } from "../cluster/precedence.ts";
import { Allotter } from "./allotter.ts";
import type { Grant } from "./allotter.ts";
import type { EngineBounds } from "./bounds.ts";
import { Capacity } from "./capacity.ts";
import { Claimer } from "./claimer.ts";
import { Deliveries } from "./deliveries.ts";
import type { DeliveriesOptions } from "./deliveries.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import { DueTargets } from "./due-targets.ts";
import type { OpenTarget } from "./lane.ts";
import { LaneLoader } from "./lane-loader.ts";
import { LaneStandings } from "./lane-standings.ts";
import { Lanes } from "./lanes.ts";
import { ReadyLanes } from "./ready-lanes.ts";
import { TargetCopies } from "./target-copies.ts";
import { UnderWay } from "./under-way.ts";

export interface DispatcherOptions {
  readonly store: DeliveryStore & Pick<TargetStore, "getTargetByKey"> & Pick<Store, "clock">;
  readonly kinds: TargetKinds;
  /** Opens a target's sealed settings and secrets. */
  readonly openTarget: (target: Target) => OpenTarget;
  readonly openHeaders: DeliveriesOptions["openHeaders"];
  readonly tracer: DeliveriesOptions["tracer"];
  readonly noteBound: DeliveriesOptions["noteBound"];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly observer: DeliveryObserver;
  readonly role: NodeRole;
  readonly membership: Pick<Membership, "holder">;
  readonly precedence: Pick<Precedence, "delayMs">;
  readonly maxInFlight: number;
  readonly drainTimeoutMs: number;
  readonly bounds: EngineBounds;
}

/** Wall clocks step and machines sleep, so the clock is read again after at most this long. */
const longestSleepMs = 1_000;

/**
 * Sends what is due. It keeps two questions apart. *Which target has something due?* The agenda answers
 * that, in memory. *What may be sent now?* One batched claim answers that, for the targets that are due
 * and have room. The claim does not ask for a target that is paused, busy or over its rate, so the
 * messages waiting there cost nothing.
 *
 * The path of a message, file by file: `due-targets` (agenda) → `lane-standings` → `ready-lanes` →
 * `allotter` (with `capacity` and `lane-loader`) → `claimer` → `deliveries` → `attempt` →
 * `attempt-recorder`.
 */
export class Dispatcher implements RunningPart {
  readonly #options: DispatcherOptions;
  readonly #copies: TargetCopies;
  readonly #due: DueTargets;
  readonly #ready = new ReadyLanes();
  readonly #standings: LaneStandings;
  readonly #allotter: Allotter;
  readonly #claimer: Claimer;
  readonly #deliveries: Deliveries;
  readonly #underWay: UnderWay;
  #timer: Timer | undefined;
  #armedFor: Instant = Infinity;
  #claiming = false;
  #stopping = false;

  /**
   * Each part knows only the parts before it, and wakes the dispatcher when there may be something to
   * claim.
   */
  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, observer, bounds } = options;
    const ready = this.#ready;
    const wake = (): void => this.wake();
    const lanes = new Lanes(bounds);
    const copies = new TargetCopies(options);
    const due = new DueTargets({ ...options, onNoted: (dueAt) => this.#wakeIfEarlier(dueAt) });
    const standings = new LaneStandings({ clock, lanes, ready, wake });
    const loader = new LaneLoader({ copies, ready, standings, observer });
    const capacity = new Capacity(options.maxInFlight, (taken) => this.#capacityFreed(taken));
    const underWay = new UnderWay((error) => observer.trouble(error, "delivering"));
    const deliveries = new Deliveries({ ...options, copies, due, standings, underWay });
    this.#copies = copies;
    this.#due = due;
    this.#standings = standings;
    this.#allotter = new Allotter({ ready, capacity, copies, loader, standings, bounds });
    this.#claimer = new Claimer({ ...options, due, lanes, standings, copies, deliveries });
    this.#deliveries = deliveries;
    this.#underWay = underWay;
  }

  async start(): Promise<void> {
    this.wake();
  }

  /** Claims nothing more, gives attempts in flight some time to finish, then interrupts them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#claimer.stop();
    this.#timer?.cancel();
    const drained = new AbortController();
    const allEnded = this.#underWay.allEnded().then(() => drained.abort());
    await pause(this.#options.timers, this.#options.drainTimeoutMs, drained.signal);
    this.#deliveries.giveUp();
    await allEnded;
  }

  /** An operation on this node has scheduled something. */
  noteDue(accountId: string, targetKey: number, dueAt: Instant): void {
    this.#due.noteOwn(accountId, targetKey, dueAt);
  }

  /** An operation on this node has changed, paused, resumed or removed a target. */
  targetChanged(accountId: string, targetKey: number): void {
    this.#copies.forget(targetKey);
    this.#standings.targetChanged(targetKey);
    this.#due.noteAtOnce(accountId, targetKey);
  }

  /** The look-ahead has found a target. Another node may have changed it, so older copies are dropped. */
  noteFound({ accountId, targetKey, revision, dueAt }: DueTarget): void {
    this.#copies.forgetOlderThan(revision, targetKey);
    this.#standings.revisionFound(targetKey, revision);
    this.#due.noteKnownToAll(accountId, targetKey, dueAt);
  }

  /** A node that has died held messages of this target. */
  noteFreed(targetKey: number): void {
    this.#due.noteAtOnce(null, targetKey);
  }

  /** This node may no longer hold the messages that it is sending. */
  interrupt(): void {
    this.#deliveries.interrupt();
  }

  /** Claims what is due and has room, or sleeps until there may be something. */
  wake(): void {
    const { holder } = this.#options.membership;
    if (this.#claiming || this.#stopping || holder === undefined) return;
    this.#standings.readyDue(this.#due.take());
    this.#standings.readyOpened();
    const grants = this.#allotter.next();
    if (grants.length > 0) this.#underWay.track(this.#claim(holder, grants));
    else this.#sleep();
  }

  async #claim(holder: Holder, grants: readonly Grant[]): Promise<void> {
    this.#claiming = true;
    try {
      await this.#claimer.claim(holder, grants);
    } finally {
      this.#claiming = false;
      this.wake();
    }
  }

  #sleep(): void {
    const { store, clock, timers } = this.#options;
    this.#timer?.cancel();
    const dueAt = this.#due.nextDueAt;
    const opensAt = this.#standings.nextOpensAt;
    this.#armedFor = dueAt;
    if (dueAt === Infinity && opensAt === Infinity) return;
    const untilDueMs = Math.min(dueAt - store.clock.now(), opensAt - clock.monotonic());
    this.#timer = timers.after(Math.min(untilDueMs, longestSleepMs), () => this.wake());
  }

  #wakeIfEarlier(dueAt: Instant): void {
    if (dueAt < this.#armedFor) this.wake();
  }

  #capacityFreed(taken: number): void {
    this.#options.observer.inFlight(taken);
    if (!this.#claiming && !this.#ready.isEmpty) this.wake();
  }
}
