import { comparedFigure } from "../figures/figure.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { startService } from "../service.ts";
import { inTurns } from "../turns.ts";
import { batchedPerSecond } from "./schedule-batches.ts";
import { singlesPerSecond } from "./schedule-single.ts";

const callers = 64;

export const scheduleThroughClient: Phase = {
  name: "client",
  about: "64 concurrent schedule() calls of one client, which gathers them",
  boundMs: () => 300_000,
  async measure(bench) {
    const { options } = bench;
    const { urls } = await startService(bench);
    for (const warmUp of [singlesPerSecond, batchedPerSecond, gatheredPerSecond]) {
      await warmUp(bench, urls, 1_500);
    }
    const { singles, batches, gathered } = await inTurns(
      options.turns,
      {
        singles: () => singlesPerSecond(bench, urls),
        batches: () => batchedPerSecond(bench, urls),
        gathered: () => gatheredPerSecond(bench, urls),
      },
      (turn, name, value) => bench.say(`turn ${turn}: ${name} ${Math.round(value)}/s`),
    );
    const name = "schedule() of one client";
    return [
      comparedFigure({ name, unit: "/s", wanted: wantedOf(options, "gathered") }, gathered, {
        name: "one per call",
        values: singles,
      }),
      comparedFigure({ name, unit: "/s", wanted: wantedOf(options, "gatheredBatch") }, gathered, {
        name: "batches of 1,000",
        values: batches,
      }),
    ];
  },
};

function gatheredPerSecond(
  { load, options }: Bench,
  urls: readonly string[],
  measuredMs = options.measuredMs,
): Promise<number> {
  return load.call("scheduleThroughClient", { url: urls[0]!, callers, warmUpMs: 300, measuredMs });
}
