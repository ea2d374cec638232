import { writeFile } from "node:fs/promises";
import type { Figure } from "../figures/figure.ts";
import { latenessPlot } from "../figures/lateness-plot.ts";
import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Phase } from "../phase.ts";
import { addTargets, startService } from "../service.ts";
import { steadyLateness } from "./steady-lateness.ts";

const perSecond = 500;
const group = "steady";
/** At this rate V8 takes half a minute to compile the code that handles every message. */
const warmUpSeconds = 30;
const storeTitle = { sqlite: "embedded store", postgres: "PostgreSQL" };

export const lateness: Phase = {
  name: "lateness",
  about: `lateness when ${perSecond} a second are due, and as many scheduled`,
  boundMs: () => 120_000,
  async measure(bench) {
    const { options, say } = bench;
    const service = await startService(bench);
    const targetIds = await addTargets(bench, service, { group, count: 4 });
    const steady = { group, targetIds, urls: service.urls, perSecond };
    say("warming up");
    await steadyLateness(bench, { ...steady, seconds: options.quick ? 5 : warmUpSeconds });
    say("measuring");
    const lateMs = await steadyLateness(bench, { ...steady, seconds: options.quick ? 8 : 20 });
    if (options.plot !== null) {
      const title = `Lateness at ${perSecond} messages a second, ${storeTitle[options.store]}`;
      await writeFile(options.plot, latenessPlot(title, lateMs));
      say(`plot written to ${options.plot}`);
    }
    const at = (share: number): number => percentile(lateMs, share);
    const early = lateMs.filter((ms) => ms < 0).length;
    const figures: Figure[] = [
      { name: "p50", unit: "ms", value: at(0.5), wanted: wantedOf(options, "latenessP50") },
      { name: "p90", unit: "ms", value: at(0.9) },
      { name: "p99", unit: "ms", value: at(0.99), wanted: wantedOf(options, "latenessP99") },
      { name: "largest", unit: "ms", value: at(1) },
      {
        name: "early",
        unit: `of ${lateMs.length}`,
        value: early,
        wanted: wantedOf(options, "early"),
      },
    ];
    return figures.map((figure) => ({ ...figure, name: `lateness at 500/s, ${figure.name}` }));
  },
};
