import type { Clock } from "../../platform/clock.ts";
import { Agenda } from "./agenda.ts";
import type { Due } from "./agenda.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import type { ReadyLanes } from "./ready-lanes.ts";

export interface LaneStandingsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly lanes: Lanes;
  readonly ready: ReadyLanes;
  /** A lane has become ready, or waits for a different instant than before. */
  readonly wake: () => void;
}

const storeRetryMs = 1_000;

/** Changes the standing of a lane when something happens to it. `lane.ts` says what each standing means. */
export class LaneStandings {
  readonly #options: LaneStandingsOptions;
  /** Lanes that may not claim before an instant, by the monotonic clock. */
  readonly #closed = new Agenda();

  constructor(options: LaneStandingsOptions) {
    this.#options = options;
  }

  /** When the first closed lane opens, by the monotonic clock; Infinity: none is closed. */
  get nextOpensAt(): number {
    return this.#closed.nextDueAt ?? Infinity;
  }

  /** A lane that waits for something else becomes ready when that happens, so it misses nothing here. */
  readyDue(due: readonly Due[]): void {
    const { lanes, ready } = this.#options;
    for (const { targetKey, accountId } of due) {
      const lane = lanes.get(targetKey, accountId);
      if (lane.standing === "resting") ready.add(lane);
    }
  }

  readyOpened(): void {
    const { clock, lanes, ready } = this.#options;
    const now = clock.monotonic();
    for (const { targetKey } of this.#closed.takeDue(now)) {
      const lane = lanes.find(targetKey);
      if (lane?.standing !== "closed") continue;
      if (lane.opensAt <= now) ready.add(lane);
      else this.#closed.note(targetKey, lane.accountId, lane.opensAt);
    }
  }

  ready(lane: Lane): void {
    this.#options.ready.add(lane);
    this.#options.wake();
  }

  rest(lane: Lane): void {
    lane.standing = "resting";
    this.#options.lanes.settle(lane);
  }

  close(lane: Lane, forMs: number): void {
    lane.standing = "closed";
    lane.opensAt = this.#options.clock.monotonic() + forMs;
    this.#closed.note(lane.targetKey, lane.accountId, lane.opensAt);
    this.#options.wake();
  }

  /** The store failed at something that the lane needs. */
  closeForRetry(lane: Lane): void {
    this.close(lane, storeRetryMs);
  }

  /** One of the lane's attempts has ended. Its outcome may not be recorded yet. */
  attemptOver(lane: Lane): void {
    const { lanes, ready } = this.#options;
    if (lane.standing === "busy") this.ready(lane);
    else if (lane.standing === "ready" && lane.inFlight === 0) ready.unserve(lane);
    else lanes.settle(lane);
  }

  targetChanged(targetKey: number): void {
    const lane = this.#options.lanes.find(targetKey);
    if (lane !== undefined) this.#reopen(lane);
  }

  /** The target has this revision now. Another node may have changed it. */
  revisionFound(targetKey: number, revision: number): void {
    const lane = this.#options.lanes.find(targetKey);
    if (lane === undefined || lane.revision >= revision) return;
    lane.revision = revision;
    this.#reopen(lane);
  }

  /** The lane acted on an older version of the target, whose limits may differ. */
  #reopen(lane: Lane): void {
    lane.changes++;
    if (lane.standing === "ready") this.#options.ready.unload(lane);
    if (lane.standing === "busy" || lane.standing === "closed") this.ready(lane);
  }
}
