import type { AttemptOutcome } from "../domain/attempt.ts";
import type { Instant } from "../domain/message.ts";
import type { Target } from "../domain/target.ts";
import type { Clock } from "../platform/clock.ts";
import type { Random } from "../platform/random.ts";
import type { Timer, Timers } from "../platform/timers.ts";
import { pause } from "../platform/timers.ts";
import type {
  Claim,
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
import { attempt } from "./attempt.ts";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { LookAhead } from "./look-ahead.ts";
import { Membership } from "./membership.ts";
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
  readonly #recorder: AttemptRecorder;
  readonly #membership: Membership;
  readonly #lookAhead: LookAhead;
  readonly #underWay = new Set<Promise<void>>();
  /** Ends the attempts of this node's current life. */
  #interrupt = new AbortController();
  #timer: Timer | undefined;
  #armedFor: Instant = Infinity;
  #claiming = false;
  #stopping = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxInFlight);
    this.#recorder = new AttemptRecorder(options);
    this.#lanes = new Lanes({ ...options, reopened: (targetKey) => this.noteDue(targetKey, 0) });
    this.#lookAhead = new LookAhead({
      ...options,
      found: (targetKey, dueAt) => {
        // Nobody may have told us that it was resumed: what the store finds due is not paused.
        this.#lanes.forgetPause(targetKey);
        this.noteDue(targetKey, dueAt);
      },
    });
    this.#membership = new Membership({
      ...options,
      onJoined: () => this.#wake(),
      onLost: () => {
        options.observer.trouble(new Error("the lease has run out"), "holding this node's lease");
        this.#interrupt.abort();
        this.#interrupt = new AbortController();
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
    if (this.#options.role === "api") return;
    this.#agenda.note(targetKey, dueAt);
    if (dueAt < this.#armedFor) this.#wake();
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
    const allEnded = this.#allEnded().then(() => drained.abort());
    await pause(this.#options.timers, this.#options.drainTimeoutMs, drained.signal);
    this.#interrupt.abort();
    this.#recorder.giveUp();
    await allEnded;
    await this.#membership.stop();
  }

  async #allEnded(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#options.observer.trouble(error, "delivering"))
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  #wake(): void {
    const { holder } = this.#membership;
    if (this.#claiming || this.#stopping || holder === undefined) return;
    const requests = this.#nextRequests(this.#options.store.clock.now());
    if (requests.length > 0) this.#track(this.#claim(holder, requests));
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

  /** For every target that is due, how much of it may be claimed now; the slots for that are taken. */
  #claimable(now: Instant): ClaimRequest[] {
    const requests: ClaimRequest[] = [];
    for (const targetKey of this.#agenda.takeDue(now)) {
      const lane = this.#lanes.get(targetKey);
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
      const limit = this.#slots.take(room.slots, lane.inFlight);
      if (limit === 0) {
        this.#lanes.starve(lane);
        continue;
      }
      lane.inFlight += limit;
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
        if (nextDueAt !== null) this.#agenda.note(targetKey, nextDueAt);
      }
      if (this.#stopping)
        await store.releaseClaims(
          holder,
          result.claims.map((c) => c.messageId),
        );
      else this.#send(holder, result);
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

  #send(holder: Holder, result: ClaimResult): void {
    const revisions = new Map(result.targets.map((each) => [each.targetKey, each.revision]));
    for (const claim of result.claims) {
      const target = this.#lanes.get(claim.targetKey).target;
      // The copy may be older than the claim: the target was changed in between.
      const current = target?.revision === revisions.get(claim.targetKey) ? target : undefined;
      this.#track(this.#deliver(holder, claim, current, result.now));
    }
  }

  async #deliver(
    holder: Holder,
    claim: Claim,
    current: OpenTarget | undefined,
    claimedAt: Instant,
  ): Promise<void> {
    const { store, observer } = this.#options;
    const { signal } = this.#interrupt;
    const target = current ?? (await this.#lanes.reload(claim.targetKey, signal));
    // A process that was stopped for a while wakes up here: by now others may hold the message.
    if (target === undefined || this.#membership.holder?.epoch !== holder.epoch) {
      return this.#abandon(holder, claim);
    }
    // Never before the claim, even if the clock has stepped back since.
    const startTime = Math.max(store.clock.now(), claimedAt);
    // What was planned for the past was due when it was planned.
    const latenessMs = startTime - Math.max(claim.dueAt, claim.planningTime);
    observer.attemptStarted(latenessMs);
    const result = await attempt({ ...this.#options, signal }, target, claim, startTime);
    this.#answered(this.#lanes.get(claim.targetKey), result.attempt.outcome);
    const recorded = await this.#recorder.record(holder, result);
    this.#slots.giveBack(1);
    observer.inFlight(this.#slots.taken);
    if (this.#lanes.starvedCount > 0) this.#wake();
    if (recorded === undefined) return;
    const message = recorded.kind === "recorded" ? recorded.message : undefined;
    if (message?.nextDeliveryTime != null) this.noteDue(claim.targetKey, message.nextDeliveryTime);
    observer.attemptEnded({
      accountId: target.accountId,
      targetId: target.targetId,
      messageId: claim.messageId,
      attempt: result.attempt,
      latenessMs,
      payloadLength: claim.payload.length,
      became: message?.state ?? "stale",
      retryDelayMs:
        message?.state === "SCHEDULED" && result.next.kind === "retry" ? result.next.delayMs : null,
    });
  }

  /** Not sent, and not ours to send any more; given back where it is still ours to give. */
  async #abandon(holder: Holder, claim: Claim): Promise<void> {
    this.#lanes.get(claim.targetKey).inFlight--;
    this.#slots.giveBack(1);
    this.noteDue(claim.targetKey, claim.dueAt);
    await this.#options.store.releaseClaims(holder, [claim.messageId]);
  }

  /** The target has answered: its place is free, though the outcome is still to be written down. */
  #answered(lane: Lane, outcome: AttemptOutcome): void {
    lane.inFlight--;
    lane.learn(outcome);
    if (!lane.waiting) return;
    lane.waiting = false;
    this.noteDue(lane.targetKey, 0);
  }
}
