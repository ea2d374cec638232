import type { Instant } from "../../domain/message.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Claim, DeliveryStore, Holder, Store } from "../../storage/store.ts";
import type { TargetKinds } from "../../targets/target-kind.ts";
import type { Membership } from "../cluster/membership.ts";
import { attempt } from "./attempt.ts";
import type { AttemptOptions } from "./attempt.ts";
import { AttemptRecorder } from "./attempt-recorder.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { DueTargets } from "./due-targets.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import type { LaneStandings } from "./lane-standings.ts";
import { readCurrentTarget } from "./read-current-target.ts";
import type { Reservation, Slot } from "./reservation.ts";
import type { TargetCopies } from "./target-copies.ts";
import type { UnderWay } from "./under-way.ts";

export interface DeliveriesOptions {
  readonly store: Pick<DeliveryStore, "recordAttempts" | "releaseClaims"> & Pick<Store, "clock">;
  readonly kinds: TargetKinds;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly openHeaders: AttemptOptions["openHeaders"];
  readonly tracer: AttemptOptions["tracer"];
  readonly observer: DeliveryObserver;
  readonly membership: Pick<Membership, "holder">;
  readonly copies: TargetCopies;
  readonly due: DueTargets;
  readonly standings: LaneStandings;
  readonly underWay: UnderWay;
  /** A message that is in no attempt any more has come to this bound. */
  readonly noteBound: (notAfter: Instant) => void;
}

/** What the messages of one claim and one lane have in common. */
export interface ClaimedLane {
  readonly holder: Holder;
  readonly claimedAt: Instant;
  readonly lane: Lane;
  /** The copy of the target; undefined: it is older than the claim. */
  readonly current: OpenTarget | undefined;
  /** Has a slot for each of the messages. */
  readonly reservation: Reservation;
}

/** Carries each claim to its end: sends, records the outcome, releases the slot. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #recorder: AttemptRecorder;
  /** Ends the attempts of this node's current membership. */
  #interrupt = new AbortController();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    this.#recorder = new AttemptRecorder(options);
  }

  begin(claimed: ClaimedLane, claim: Claim): void {
    this.#options.underWay.track(this.#deliver(claimed, claim, claimed.reservation.take()));
  }

  /** Interrupts what is being sent now. Later claims are not affected. */
  interrupt(): void {
    this.#interrupt.abort();
    this.#interrupt = new AbortController();
  }

  /** Final: each outcome that is not yet recorded gets one more try. */
  giveUp(): void {
    this.#interrupt.abort();
    this.#recorder.giveUp();
  }

  async #deliver(claimed: ClaimedLane, claim: Claim, slot: Slot): Promise<void> {
    const { store, observer, membership, standings, due, noteBound } = this.#options;
    const { holder, claimedAt, lane } = claimed;
    const { signal } = this.#interrupt;
    const target =
      claimed.current ?? (await readCurrentTarget(this.#options, claim.targetKey, signal));
    // A process that was suspended wakes up here. By now another node may hold the message.
    const isHolder = membership.holder?.epoch === holder.epoch;
    if (target === undefined || !isHolder) return this.#abandon(claimed, claim, slot);
    // Never before the claim, even if the clock was set back since.
    const startTime = Math.max(store.clock.now(), claimedAt);
    // Its bound came between the claim and this moment, and the store ends it. If the store's clock is a
    // little behind, another claim would only use up more of the target's rate.
    const notAfter = claim.options?.notAfter;
    if (notAfter !== undefined && startTime >= notAfter) {
      await this.#giveBack(claimed, claim, slot);
      return noteBound(notAfter);
    }
    // A message that was planned for the past became due when it was planned.
    const latenessMs = startTime - Math.max(claim.dueAt, claim.planningTime);
    observer.attemptStarted(latenessMs);
    const result = await attempt(this.#options, { target, claim, startTime, signal });
    // The target may get the next message, though the outcome is not recorded yet.
    slot.leaveTarget();
    lane.learn(result.attempt.outcome);
    standings.attemptOver(lane);
    const recorded = await this.#recorder.record(holder, result);
    slot.release();
    if (recorded === undefined) return;
    const message = recorded.kind === "recorded" ? recorded.message : undefined;
    if (message?.nextDeliveryTime != null) {
      due.noteOwn(lane.accountId, lane.targetKey, message.nextDeliveryTime);
    }
    observer.attemptEnded({
      accountId: target.accountId,
      targetId: target.targetId,
      targetKey: target.targetKey,
      messageId: claim.messageId,
      attempt: result.attempt,
      latenessMs,
      payloadLength: claim.payload.length,
      became: message?.state ?? "stale",
      retryDelayMs:
        message?.state === "SCHEDULED" && result.next.kind === "retry" ? result.next.delayMs : null,
    });
  }

  /** Does not send the message. If this node still held it, the store hands it to the next claim. */
  async #abandon(claimed: ClaimedLane, claim: Claim, slot: Slot): Promise<void> {
    await this.#giveBack(claimed, claim, slot);
    const { accountId, targetKey } = claimed.lane;
    this.#options.due.noteOwn(accountId, targetKey, claim.dueAt);
  }

  async #giveBack({ holder, lane }: ClaimedLane, claim: Claim, slot: Slot): Promise<void> {
    await this.#recorder.release(holder, claim.messageId);
    slot.leaveTarget();
    this.#options.standings.attemptOver(lane);
    slot.release();
  }
}
