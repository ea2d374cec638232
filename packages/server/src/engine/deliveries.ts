import type { AttemptOutcome } from "../domain/attempt.ts";
import type { Instant } from "../domain/message.ts";
import type { Clock } from "../platform/clock.ts";
import type { Random } from "../platform/random.ts";
import type { Timers } from "../platform/timers.ts";
import type { Claim, ClaimResult, DeliveryStore, Holder, Store } from "../storage/store.ts";
import type { TargetKinds } from "../targets/target-kind.ts";
import { attempt } from "./attempt.ts";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import type { Slots } from "./slots.ts";

export interface DeliveriesOptions {
  readonly store: Pick<DeliveryStore, "recordAttempts" | "releaseClaims"> & Pick<Store, "clock">;
  readonly kinds: TargetKinds;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly observer: DeliveryObserver;
  readonly lanes: Lanes;
  readonly slots: Slots;
  /** Whether this node may still act as this holder. */
  readonly holds: (holder: Holder) => boolean;
  readonly noteDue: (targetKey: number, dueAt: Instant) => void;
  readonly slotFreed: () => void;
}

/** Carries claims to their end: sent, answered, recorded, and the place of each given back. */
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

  send(holder: Holder, result: ClaimResult): void {
    const revisions = new Map(result.targets.map((each) => [each.targetKey, each.revision]));
    for (const claim of result.claims) {
      const target = this.#options.lanes.get(claim.targetKey).target;
      // The copy may be older than the claim: the target was changed in between.
      const current = target?.revision === revisions.get(claim.targetKey) ? target : undefined;
      this.track(this.#deliver(holder, claim, current, result.now));
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

  async #deliver(
    holder: Holder,
    claim: Claim,
    current: OpenTarget | undefined,
    claimedAt: Instant,
  ): Promise<void> {
    const { store, lanes, slots, observer, holds, noteDue, slotFreed } = this.#options;
    const { signal } = this.#interrupt;
    const target = current ?? (await lanes.reload(claim.targetKey, signal));
    // A process that was stopped for a while wakes up here: by now others may hold the message.
    if (target === undefined || !holds(holder)) return this.#abandon(holder, claim);
    // Never before the claim, even if the clock has stepped back since.
    const startTime = Math.max(store.clock.now(), claimedAt);
    // What was planned for the past was due when it was planned.
    const latenessMs = startTime - Math.max(claim.dueAt, claim.planningTime);
    observer.attemptStarted(latenessMs);
    const result = await attempt(this.#options, { target, claim, startTime, signal });
    this.#answered(lanes.get(claim.targetKey), result.attempt.outcome);
    const recorded = await this.#recorder.record(holder, result);
    slots.giveBack(1);
    observer.inFlight(slots.taken);
    slotFreed();
    if (recorded === undefined) return;
    const message = recorded.kind === "recorded" ? recorded.message : undefined;
    if (message?.nextDeliveryTime != null) noteDue(claim.targetKey, message.nextDeliveryTime);
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
    const { store, lanes, slots, noteDue } = this.#options;
    lanes.get(claim.targetKey).inFlight--;
    slots.giveBack(1);
    noteDue(claim.targetKey, claim.dueAt);
    await store.releaseClaims(holder, [claim.messageId]);
  }

  /** The target has answered: its place is free, though the outcome is still to be written down. */
  #answered(lane: Lane, outcome: AttemptOutcome): void {
    lane.inFlight--;
    lane.learn(outcome);
    if (!lane.waiting) return;
    lane.waiting = false;
    this.#options.noteDue(lane.targetKey, 0);
  }
}
