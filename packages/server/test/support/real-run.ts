import { promisedBounds } from "../history/history.ts";
import type { Bounds, Expectations } from "../history/history.ts";
import type { Answer } from "./receiver.ts";

/** What a run under load must have seen at least to prove something. */
export const busyRun: Expectations = {
  schedules: 100,
  cancels: 10,
  reschedules: 5,
  unknowns: 1,
  receipts: 50,
  takeovers: 1,
};

/**
 * For processes on one machine with default settings. They share one clock, but read it at different times.
 */
export const realBounds: Bounds = {
  ...promisedBounds,
  clockUncertaintyMs: 100,
  retentionMs: 14 * 86_400_000,
  // A busy machine runs what ends messages late, like everything else.
  outrunMs: promisedBounds.settleMs,
};

/** Some attempts fail and some are slow, so that faults also hit retries and waiting calls. */
export function answerUnsteadily(slowMs: number): Answer {
  return (_, response) => {
    const chance = Math.random();
    if (chance < 0.15) response.writeHead(500).end();
    else if (chance < 0.3) setTimeout(() => response.writeHead(204).end(), slowMs);
    else response.writeHead(204).end();
  };
}
