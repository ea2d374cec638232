import type { AttemptOutcome } from "../../domain/attempt.ts";
import type { Instant } from "../../domain/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { Claim, ClaimResult, DeliveryStore, Holder, Store } from "../../storage/store.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import type { Grant } from "./allotter.ts";
import { attempt } from "./attempt.ts";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { Capacity } from "./capacity.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import type { TargetCopies } from "./target-copies.ts";

export interface DeliveriesOptions {
  readonly store: Pick<DeliveryStore, "recordAttempts" | "releaseClaims"> & Pick<Store, "clock">;
  readonly kinds: TargetKinds;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly observer: DeliveryObserver;
  readonly copies: TargetCopies;
  readonly capacity: Capacity;
  /** Whether this node may still act as this holder. */
  readonly holds: (holder: Holder) => boolean;
  readonly noteDue: (lane: Lane, dueAt: Instant) => void;
  /** One of the lane's attempts has ended, though its outcome may still be unwritten. */
  readonly attemptOver: (lane: Lane) => void;
  readonly capacityFreed: () => void;
}

/** A claim with all that is needed to carry it out. */
interface Delivery {
  readonly holder: Holder;
  readonly claim: Claim;
  readonly lane: Lane;
  /** Whose capacity it uses. */
  readonly accountId: string;
  readonly claimedAt: Instant;
}

/** A target that cannot be read is asked for so often; then its messages are given back. */
const mostReads = 3;
const readAgainMs = 1_000;

/** Carries claims to their end: sent, answered, recorded, and the capacity of each released once. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #recorder: AttemptRecorder;
  readonly #underWay = new Set<Promise<void>>();
  /** Ends the attempts of this node's current life. */
  #interrupt = new AbortController();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#recorder = new AttemptRecorder(options);
  }

  send(holder: Holder, grants: readonly Grant[], result: ClaimResult): void {
    const revisions = new Map(result.targets.map((each) => [each.targetKey, each.revision]));
    const grantOf = new Map(grants.map((grant) => [grant.lane.targetKey, grant]));
    for (const claim of result.claims) {
      const { lane, accountId, target } = grantOf.get(claim.targetKey)!;
      // The copy may be older than the claim: the target was changed in between.
      const current = target.revision === revisions.get(claim.targetKey) ? target : undefined;
      const delivery = { holder, claim, lane, accountId, claimedAt: result.now };
      this.track(this.#deliver(delivery, current));
    }
  }

  track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#options.observer.trouble(error, "delivering"))
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async allEnded(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Breaks off what is being sent; what is claimed from here on is not touched. */
  interrupt(): void {
    this.#interrupt.abort();
    this.#interrupt = new AbortController();
  }

  /** For good: each outcome that is still unwritten gets one more try. */
  giveUp(): void {
    this.#interrupt.abort();
    this.#recorder.giveUp();
  }

  async #deliver(delivery: Delivery, current: OpenTarget | undefined): Promise<void> {
    const { store, observer, holds, noteDue } = this.#options;
    const { holder, claim, lane, accountId, claimedAt } = delivery;
    const { signal } = this.#interrupt;
    const target = current ?? (await this.#readAgain(claim.targetKey, signal));
    // A process that was stopped for a while wakes up here: by now others may hold the message.
    if (target === undefined || !holds(holder)) return this.#abandon(delivery);
    // Never before the claim, even if the clock has stepped back since.
    const startTime = Math.max(store.clock.now(), claimedAt);
    // What was planned for the past was due when it was planned.
    const latenessMs = startTime - Math.max(claim.dueAt, claim.planningTime);
    observer.attemptStarted(latenessMs);
    const result = await attempt(this.#options, { target, claim, startTime, signal });
    this.#attemptEnded(lane, result.attempt.outcome);
    const recorded = await this.#recorder.record(holder, result);
    this.#release(accountId);
    if (recorded === undefined) return;
    const message = recorded.kind === "recorded" ? recorded.message : undefined;
    if (message?.nextDeliveryTime != null) noteDue(lane, message.nextDeliveryTime);
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

  /** The target as it is now, for a claim that is held already. Undefined: it is gone or unreadable. */
  async #readAgain(targetKey: number, signal: AbortSignal): Promise<OpenTarget | undefined> {
    const { copies, timers, observer } = this.#options;
    for (let reads = 1; !signal.aborted; reads++) {
      try {
        return await copies.load(targetKey);
      } catch (error) {
        observer.trouble(error, "reading a target");
      }
      if (reads === mostReads) return undefined;
      await pause(timers, readAgainMs, signal);
    }
    return undefined;
  }

  /** Not sent, and not ours to send any more; given back where it is still ours to give. */
  async #abandon({ holder, claim, lane, accountId }: Delivery): Promise<void> {
    const { store, noteDue, attemptOver } = this.#options;
    try {
      await store.releaseClaims(holder, [claim.messageId]);
    } finally {
      lane.inFlight--;
      attemptOver(lane);
      this.#release(accountId);
      noteDue(lane, claim.dueAt);
    }
  }

  /** The target has answered: it may be sent more, though the outcome is still to be written down. */
  #attemptEnded(lane: Lane, outcome: AttemptOutcome): void {
    lane.inFlight--;
    lane.learn(outcome);
    this.#options.attemptOver(lane);
  }

  #release(accountId: string): void {
    const { capacity, observer, capacityFreed } = this.#options;
    capacity.release(accountId, 1);
    observer.inFlight(capacity.taken);
    capacityFreed();
  }
}
