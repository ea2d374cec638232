import type { DeliveryObserver } from "./delivery-observer.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import type { LaneStandings } from "./lane-standings.ts";
import type { ReadyLanes } from "./ready-lanes.ts";
import type { TargetCopies } from "./target-copies.ts";

export interface LaneLoaderOptions {
  readonly copies: Pick<TargetCopies, "load">;
  readonly ready: ReadyLanes;
  readonly standings: LaneStandings;
  readonly observer: Pick<DeliveryObserver, "trouble">;
}

/** Loads the copies of targets for lanes that need one to claim. */
export class LaneLoader {
  readonly #options: LaneLoaderOptions;

  constructor(options: LaneLoaderOptions) {
    this.#options = options;
  }

  /** The lane becomes ready when the copy is loaded. It closes for a while when the copy cannot be read. */
  load(lane: Lane): void {
    const { copies, ready, standings, observer } = this.#options;
    lane.standing = "loading";
    const account = ready.of(lane.accountId);
    account.loading++;
    copies
      .load(lane.targetKey)
      .finally(() => account.loading--)
      .then(
        (target) => this.#loaded(lane, target),
        (error: unknown) => {
          observer.trouble(error, "reading a target");
          standings.closeForRetry(lane);
        },
      );
  }

  #loaded(lane: Lane, target: OpenTarget | undefined): void {
    const { standings } = this.#options;
    // The target was removed: nothing may be sent to it.
    if (target === undefined) return standings.rest(lane);
    lane.loaded = target;
    lane.accountId = target.accountId;
    standings.ready(lane);
  }
}
