import type { Instant } from "../../domain/message.ts";
import type { ClaimedTarget, ClaimResult, DeliveryStore, Holder } from "../../storage/store.ts";
import type { Grant } from "./allotter.ts";
import type { Deliveries } from "./deliveries.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { DueTargets } from "./due-targets.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import type { LaneStandings } from "./lane-standings.ts";
import type { TargetCopies } from "./target-copies.ts";

export interface ClaimerOptions {
  readonly store: Pick<DeliveryStore, "claimDue" | "releaseClaims">;
  readonly observer: Pick<DeliveryObserver, "claimed" | "trouble">;
  readonly due: DueTargets;
  readonly lanes: Lanes;
  readonly standings: LaneStandings;
  readonly copies: Pick<TargetCopies, "forgetOlderThan">;
  readonly deliveries: Pick<Deliveries, "begin">;
}

/** Claims what was granted, in one call to the store, and passes each message on to be delivered. */
export class Claimer {
  readonly #options: ClaimerOptions;
  #stopped = false;

  constructor(options: ClaimerOptions) {
    this.#options = options;
  }

  /** From now on, a claim that still arrives is given back to the store. */
  stop(): void {
    this.#stopped = true;
  }

  async claim(holder: Holder, grants: readonly Grant[]): Promise<void> {
    const { store, observer, standings } = this.#options;
    const requests = grants.map(({ lane, reservation }) => ({
      targetKey: lane.targetKey,
      limit: reservation.size,
    }));
    const result = await store.claimDue(holder, requests).catch((error: unknown) => {
      observer.trouble(error, "claiming due messages");
    });
    if (result === undefined) {
      for (const { lane } of grants) standings.closeForRetry(lane);
      this.#releaseRest(grants);
    } else {
      await this.#carryOut(holder, grants, result);
    }
  }

  async #carryOut(holder: Holder, grants: readonly Grant[], result: ClaimResult): Promise<void> {
    this.#options.observer.claimed(result.claims.length);
    const answers = new Map(result.targets.map((target) => [target.targetKey, target]));
    for (const { lane, changesBefore } of grants) {
      const answer = answers.get(lane.targetKey);
      if (answer === undefined) continue;
      // The rate limit may be another one since. The store is asked again instead.
      const isOutdated = lane.changes !== changesBefore;
      this.#learn(lane, isOutdated ? { ...answer, closedMs: 0 } : answer, result.now);
    }
    if (!this.#stopped) this.#deliver(holder, grants, result, answers);
    this.#releaseRest(grants);
    if (!this.#stopped) return;
    const claimed = result.claims.map(({ messageId }) => messageId);
    await this.#options.store.releaseClaims(holder, claimed);
  }

  /** Applies what a claim says about one of its targets. */
  #learn(lane: Lane, { revision, nextDueAt, closedMs }: ClaimedTarget, claimedAt: Instant): void {
    const { due, standings, copies } = this.#options;
    const { targetKey, accountId } = lane;
    lane.revision = Math.max(lane.revision, revision);
    copies.forgetOlderThan(revision, targetKey);
    if (nextDueAt === null) return;
    if (closedMs > 0) standings.close(lane, closedMs);
    else due.noteLeft(accountId, targetKey, nextDueAt, claimedAt);
  }

  #deliver(
    holder: Holder,
    grants: readonly Grant[],
    { now, claims }: ClaimResult,
    answers: ReadonlyMap<number, ClaimedTarget>,
  ): void {
    const lanes = new Map(
      grants.map(({ lane, target, reservation }) => {
        // The target may have changed between reading the copy and the claim.
        const isCurrent = target.revision === answers.get(lane.targetKey)?.revision;
        const current = isCurrent ? target : undefined;
        return [lane.targetKey, { holder, claimedAt: now, lane, current, reservation }];
      }),
    );
    for (const claim of claims) this.#options.deliveries.begin(lanes.get(claim.targetKey)!, claim);
  }

  #releaseRest(grants: readonly Grant[]): void {
    for (const { lane, reservation } of grants) {
      reservation.releaseRest();
      this.#options.lanes.settle(lane);
    }
  }
}
