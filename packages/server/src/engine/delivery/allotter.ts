import type { EngineBounds } from "./bounds.ts";
import type { Capacity } from "./capacity.ts";
import type { Lane, OpenTarget } from "./lane.ts";
import type { LaneLoader } from "./lane-loader.ts";
import type { LaneStandings } from "./lane-standings.ts";
import type { AccountLanes, ReadyLanes } from "./ready-lanes.ts";
import type { Reservation } from "./reservation.ts";
import type { TargetCopies } from "./target-copies.ts";

export interface AllotterOptions {
  readonly ready: ReadyLanes;
  readonly capacity: Capacity;
  readonly copies: Pick<TargetCopies, "get">;
  /** Loads the copy of the target for a lane that has none, and makes the lane ready again. */
  readonly loader: Pick<LaneLoader, "load">;
  readonly standings: Pick<LaneStandings, "rest">;
  readonly bounds: EngineBounds;
}

/** The lane may claim as many messages as it has capacity reserved. */
export interface Grant {
  readonly lane: Lane;
  readonly target: OpenTarget;
  readonly reservation: Reservation;
  /** The `changes` of the lane when this was granted. */
  readonly changesBefore: number;
}

/**
 * Decides whose messages are claimed next. Accounts have equal shares of a claim, and so have the lanes
 * of an account. What one does not use goes to those behind it. A lane that gets nothing keeps its
 * position, so no lane waits for ever while others are served again and again.
 */
export class Allotter {
  readonly #options: AllotterOptions;

  constructor(options: AllotterOptions) {
    this.#options = options;
  }

  next(): Grant[] {
    const { ready, bounds } = this.#options;
    const grants: Grant[] = [];
    let left = bounds.mostAtOnce;
    for (let before = Infinity; left > 0 && left < before;) {
      before = left;
      const accounts = ready.inTurn();
      for (const [index, account] of accounts.entries()) {
        const share = Math.max(1, Math.floor(left / (accounts.length - index)));
        const used = this.#allotTo(account, share, grants);
        if (used > 0) ready.toTheBack(account);
        left -= used;
        if (left === 0) break;
      }
    }
    return grants;
  }

  /** Returns how much of the share it granted. */
  #allotTo(account: AccountLanes, share: number, grants: Grant[]): number {
    const { capacity, copies, ready, loader, bounds } = this.#options;
    const passedOver: Lane[] = [];
    let left = share;
    while (left > 0 && passedOver.length < bounds.mostPassedOver) {
      if (account.accountId !== null && capacity.roomFor(account.accountId) === 0) break;
      const lane = account.first;
      if (lane === undefined) break;
      const target = lane.loaded ?? copies.get(lane.targetKey);
      // The account keeps its turn until one of its running reads ends.
      const isReading = account.loading > 0;
      if (target === undefined && isReading && account.preparing >= bounds.mostPreparing) break;
      account.remove(lane);
      if (target === undefined) {
        loader.load(lane);
        continue;
      }
      const wanted = Math.max(1, Math.floor(left / (account.size + 1)));
      const grant = this.#grant(lane, target, wanted);
      if (grant === "not now") passedOver.push(lane);
      else lane.loaded = undefined;
      if (typeof grant === "string") continue;
      left -= grant.reservation.size;
      grants.push(grant);
    }
    for (const lane of passedOver) ready.add(lane);
    return share - left;
  }

  #grant(lane: Lane, target: OpenTarget, wanted: number): Grant | "not now" | "no use" {
    const { capacity, standings } = this.#options;
    const { accountId } = target;
    lane.accountId = accountId;
    lane.revision = Math.max(lane.revision, target.revision);
    if (target.paused) {
      standings.rest(lane);
      return "no use";
    }
    const room = lane.roomAt(target);
    if (room === 0) {
      lane.standing = "busy";
      return "no use";
    }
    const reservation = capacity.reserve(accountId, lane, Math.min(room, wanted));
    if (reservation === undefined) return "not now";
    lane.standing = "resting";
    return { lane, target, reservation, changesBefore: lane.changes };
  }
}
