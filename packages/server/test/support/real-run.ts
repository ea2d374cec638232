import { promisedBounds } from "../history/history.ts";
import type { Bounds, Expectations } from "../history/history.ts";
import type { Answer } from "./receiver.ts";

/** What any run under load must have seen to prove something. */
export const busyRun: Expectations = {
  schedules: 100,
  cancels: 10,
  reschedules: 5,
  unknowns: 1,
  receipts: 50,
  takeovers: 1,
};

/** Of processes on one machine with the settings' defaults. The clock is one, read at different times. */
export const realBounds: Bounds = {
  ...promisedBounds,
  clockUncertaintyMs: 100,
  retentionMs: 14 * 86_400_000,
};

/** Some attempts fail and some take their time, so that retries and waiting calls meet the faults. */
export function answerUnsteadily(slowMs: number): Answer {
  return (_, response) => {
    const chance = Math.random();
    if (chance < 0.15) response.writeHead(500).end();
    else if (chance < 0.3) setTimeout(() => response.writeHead(204).end(), slowMs);
    else response.writeHead(204).end();
  };
}
