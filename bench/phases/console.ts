import type { Figure } from "../figures/figure.ts";
import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { ConsoleTour } from "../processes/console-tour.ts";
import { addTargets, startNodes } from "../service.ts";
import type { Service } from "../service.ts";
import { prepareBacklog } from "./backlog.ts";
import { steadyLateness } from "./steady-lateness.ts";

const steady = { group: "steady", perSecond: 200, seconds: 20 };

export const consoleTour: Phase = {
  name: "console",
  about: `what somebody at the console costs with a large backlog, beside ${steady.perSecond} deliveries a second`,
  boundMs: ({ pending }) => 900_000 + (pending ?? 0) * 0.2,
  async measure(bench) {
    const size = bench.options.pending!;
    const service = await startNodes(bench, await prepareBacklog(bench, size));
    const figures = await measureConsole(bench, service);
    return figures.map((figure) => ({
      ...figure,
      name: `${size.toLocaleString("en")} pending: ${figure.name}`,
    }));
  },
};

/** The browser works on the same cores as the service, so it delays deliveries by its own work as well. */
async function measureConsole(bench: Bench, service: Service): Promise<Figure[]> {
  const { options, opened, say } = bench;
  const url = service.urls[0]!;
  const targetIds = await addTargets(bench, service, { group: steady.group, count: 4 });
  const traffic = { ...steady, urls: service.urls, targetIds };
  const tour = opened.use(await ConsoleTour.begin(url));
  say("warming up");
  await Promise.all([tour.goRound(), steadyLateness(bench, traffic)]);
  tour.asked.length = 0;
  say("deliveries alone, the console open at its overview");
  const alone = await steadyLateness(bench, traffic);
  say("deliveries, and somebody who looks at every page");
  const looking = lookUntilDone(tour);
  const beside = await steadyLateness(bench, traffic);
  await looking.stop();
  const tookMs = tour.asked.map((request) => request.tookMs);
  const slowest = tour.asked.toSorted((one, other) => other.tookMs - one.tookMs).slice(0, 5);
  for (const { path, tookMs: ms } of slowest) say(`${Math.round(ms)} ms  ${path}`);
  return [
    { name: "requests of the console", unit: "", value: tookMs.length },
    {
      name: "its slowest request",
      unit: "ms",
      value: Math.max(...tookMs),
      wanted: wantedOf(options, "slowestOfConsole"),
    },
    { name: "its requests, p50", unit: "ms", value: percentile(tookMs, 0.5) },
    { name: "its requests, p99", unit: "ms", value: percentile(tookMs, 0.99) },
    { name: "lateness without it, p99", unit: "ms", value: percentile(alone, 0.99) },
    { name: "lateness without it, the latest", unit: "ms", value: Math.max(...alone) },
    {
      name: "lateness beside it, p99",
      unit: "ms",
      value: percentile(beside, 0.99),
      wanted: wantedOf(options, "besideConsoleP99"),
    },
    { name: "lateness beside it, the latest", unit: "ms", value: Math.max(...beside) },
  ];
}

function lookUntilDone(tour: ConsoleTour) {
  const over = new AbortController();
  const looking = (async () => {
    do await tour.goRound();
    while (!over.signal.aborted);
  })();
  // Its failure is told by `stop`.
  looking.catch(() => {});
  return {
    async stop() {
      over.abort();
      await looking;
    },
  };
}
