import type { Instant } from "../../src/domain/message.ts";
import { Deaths } from "./deaths.ts";
import { endOf } from "./faults.ts";
import type { Fault } from "./faults.ts";
import type { Bounds, History } from "./history.ts";
import { StoreClock } from "./store-clock.ts";

/** What the judge of a single message needs to know about the whole run. */
export interface Context {
  readonly bounds: Bounds;
  readonly faults: readonly Fault[];
  readonly deaths: Deaths;
  readonly clock: StoreClock;
  /** How far the observers' instants may be off, without any step of the store's clock. */
  readonly seenApartMs: number;
  readonly takenAt: Instant;
  /** -Infinity if there was none. */
  readonly lastFaultEnd: Instant;
}

export function contextOf({ bounds, faults, final, clockSteps }: History): Context {
  const clock = new StoreClock(clockSteps);
  const seenApartMs = bounds.clockUncertaintyMs - clock.furthestMs;
  const inOrder = faults.toSorted((one, other) => one.at - other.at);
  return {
    bounds,
    faults: inOrder,
    deaths: new Deaths(inOrder, { ...bounds, clockUncertaintyMs: seenApartMs }),
    clock,
    seenApartMs,
    takenAt: final.takenAt,
    lastFaultEnd: inOrder.reduce((latest, fault) => Math.max(latest, endOf(fault)), -Infinity),
  };
}

/**
 * The instant by which something must have happened, when faults delayed it. Faults of the node that others
 * replace do not count.
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
