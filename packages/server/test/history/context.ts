import type { Instant } from "../../src/domain/message.ts";
import { Deaths } from "./deaths.ts";
import { endOf } from "./faults.ts";
import type { Fault } from "./faults.ts";
import type { Bounds, History } from "./history.ts";
import { StoreClock } from "./store-clock.ts";

/** What a judgement of a single message needs of the whole run. */
export interface Context {
  readonly bounds: Bounds;
  readonly faults: readonly Fault[];
  readonly deaths: Deaths;
  readonly clock: StoreClock;
  /** How far what the observers saw may be off where no step of the store's clock has a say. */
  readonly seenApartMs: number;
  readonly takenAt: Instant;
  /** -Infinity: there was none. */
  readonly lastFaultEnd: Instant;
}

export function contextOf({ bounds, faults, final, clockSteps }: History): Context {
  const clock = new StoreClock(clockSteps);
  const inOrder = faults.toSorted((one, other) => one.at - other.at);
  return {
    bounds,
    faults: inOrder,
    deaths: new Deaths(inOrder, bounds),
    clock,
    seenApartMs: bounds.clockUncertaintyMs - clock.furthestMs,
    takenAt: final.takenAt,
    lastFaultEnd: inOrder.reduce((latest, fault) => Math.max(latest, endOf(fault)), -Infinity),
  };
}

/**
 * The instant by which something must have happened, where faults kept putting it off. Those of the node
 * that others stand in for do not count.
 */
export function putOff(
  deadline: Instant,
  since: Instant,
  node: string | null,
  { faults, bounds: { takeoverMs, restartMs } }: Context,
): Instant {
  let until = deadline;
  for (const fault of faults) {
    if (fault.at > until) break;
    if (fault.kind === "hang" || endOf(fault) < since) continue;
    const isOfStore = fault.kind === "store" || fault.kind === "statement";
    if (takeoverMs !== null && !isOfStore && fault.node === node) continue;
    until = Math.max(until, endOf(fault) + (takeoverMs ?? restartMs));
  }
  return until;
}
