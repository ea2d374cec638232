import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";
import type { OpenTarget } from "./lane.ts";
import type { TargetCopies } from "./target-copies.ts";

export interface ReadCurrentTargetOptions {
  readonly copies: Pick<TargetCopies, "load">;
  readonly timers: Timers;
  readonly observer: Pick<DeliveryObserver, "trouble">;
}

/** After this many failed reads of a target, its messages are given back. */
const mostReads = 3;
const readAgainMs = 1_000;

/** Reads the target as it is now, for a claim that is already held. Undefined: it is gone or unreadable. */
export async function readCurrentTarget(
  { copies, timers, observer }: ReadCurrentTargetOptions,
  targetKey: number,
  signal: AbortSignal,
): Promise<OpenTarget | undefined> {
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
