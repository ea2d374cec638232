import type { Target } from "../domain/target.ts";
import type { Store, TargetStore } from "../storage/store.ts";
import type { Timers } from "../platform/timers.ts";
import { pause } from "../platform/timers.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import { Lane } from "./lane.ts";
import type { OpenTarget } from "./lane.ts";

export interface LanesOptions {
  readonly store: Pick<TargetStore, "getTargetByKey"> & Pick<Store, "clock">;
  readonly openTarget: (target: Target) => OpenTarget;
  readonly timers: Timers;
  readonly observer: DeliveryObserver;
  /** A lane that had to be passed over can be looked at again. */
  readonly reopened: (targetKey: number) => void;
}

/** Idle lanes are kept for their copy of the target, but not without bound. */
const mostLanes = 10_000;
const takenAtOnce = 8;
const loadRetryMs = 1_000;

/** The lanes of the targets that this process is sending to, or has lately. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<number, Lane>();
  readonly #loading = new Map<number, Promise<OpenTarget | undefined>>();
  /** Targets that could not be read and will be tried again by themselves. */
  readonly #retrying = new Set<number>();
  /** Lanes with something due for which the process had no slot, the longest waiting first. */
  readonly #starved = new Set<Lane>();

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** The lane; where its target is not at hand, `reopened` is called as soon as it is. */
  get(targetKey: number): Lane {
    let lane = this.#lanes.get(targetKey);
    if (lane === undefined) {
      if (this.#lanes.size >= mostLanes) this.#dropIdle();
      lane = new Lane(targetKey);
      this.#lanes.set(targetKey, lane);
    }
    if (lane.target === undefined) this.#loadSoon(targetKey);
    return lane;
  }

  forget(targetKey: number): void {
    const lane = this.#lanes.get(targetKey);
    if (lane !== undefined) lane.target = undefined;
    this.#loading.delete(targetKey);
  }

  forgetPause(targetKey: number): void {
    if (this.#lanes.get(targetKey)?.target?.paused === true) this.forget(targetKey);
  }

  /**
   * The target as it is now in the store, for a claim that is held already: asked for until it comes,
   * or until the signal says that there is no more time.
   */
  async reload(targetKey: number, signal: AbortSignal): Promise<OpenTarget | undefined> {
    const { observer, timers } = this.#options;
    while (!signal.aborted) {
      try {
        const target = await this.#load(targetKey);
        if (target !== undefined) return target;
        observer.trouble(new Error(`target ${targetKey} is gone`), "sending to a target");
      } catch (error) {
        observer.trouble(error, "reading a target");
      }
      await pause(timers, loadRetryMs, signal);
    }
    return undefined;
  }

  starve(lane: Lane): void {
    this.#starved.add(lane);
  }

  get starvedCount(): number {
    return this.#starved.size;
  }

  /** Those who have waited longest for a slot, a few at a time; they are to be looked at again. */
  takeStarved(): number[] {
    const taken: number[] = [];
    for (const lane of this.#starved) {
      if (taken.length >= takenAtOnce) break;
      this.#starved.delete(lane);
      taken.push(lane.targetKey);
    }
    return taken;
  }

  #load(targetKey: number): Promise<OpenTarget | undefined> {
    const loading = this.#loading.get(targetKey);
    if (loading !== undefined) return loading;
    const load = this.#fetch(targetKey).finally(() => {
      if (this.#loading.get(targetKey) === load) this.#loading.delete(targetKey);
    });
    this.#loading.set(targetKey, load);
    return load;
  }

  async #fetch(targetKey: number): Promise<OpenTarget | undefined> {
    const target = await this.#options.store.getTargetByKey(targetKey);
    if (target === undefined) return undefined;
    const open = this.#options.openTarget(target);
    const lane = this.#lanes.get(targetKey);
    if (lane !== undefined && open.revision >= (lane.target?.revision ?? 0)) lane.target = open;
    return open;
  }

  #loadSoon(targetKey: number): void {
    if (this.#loading.has(targetKey) || this.#retrying.has(targetKey)) return;
    const { observer, timers, reopened } = this.#options;
    this.#load(targetKey).then(
      (target) => target && reopened(targetKey),
      (error: unknown) => {
        observer.trouble(error, "reading a target");
        this.#retrying.add(targetKey);
        timers.after(loadRetryMs, () => {
          this.#retrying.delete(targetKey);
          reopened(targetKey);
        });
      },
    );
  }

  #dropIdle(): void {
    const now = this.#options.store.clock.now();
    for (const [targetKey, lane] of this.#lanes) {
      if (lane.isIdle(now) && !this.#starved.has(lane)) this.#lanes.delete(targetKey);
    }
  }
}
