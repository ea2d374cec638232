import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figures/figure.ts";
import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { getJson } from "../processes/server.ts";
import { addTargets, startNodes } from "../service.ts";
import type { Service } from "../service.ts";
import { prepareBacklog } from "./backlog.ts";
import { steadyLateness } from "./steady-lateness.ts";

const steady = { group: "steady", perSecond: 200, seconds: 20 };
const dayMs = 86_400_000;
/** A console polls a little less often. */
const betweenCallsMs = 50;

export const statistics: Phase = {
  name: "statistics",
  about: `what statistics cost with a large backlog, beside ${steady.perSecond} deliveries a second`,
  boundMs: ({ pending }) => 900_000 + (pending ?? 0) * 0.2,
  async measure(bench) {
    const size = bench.options.pending!;
    const service = await startNodes(bench, await prepareBacklog(bench, size));
    const figures = await measureStatistics(bench, service);
    return figures.map((figure) => ({
      ...figure,
      name: `${size.toLocaleString("en")} pending: ${figure.name}`,
    }));
  },
};

/** A store with a backlog, and a server on it. */
async function measureStatistics(bench: Bench, service: Service): Promise<Figure[]> {
  const { options, say } = bench;
  const targetIds = await addTargets(bench, service, { group: steady.group, count: 4 });
  const traffic = { ...steady, urls: service.urls, targetIds };
  say("warming up");
  await steadyLateness(bench, { ...traffic, seconds: 5 });
  say("deliveries alone");
  const alone = await steadyLateness(bench, traffic);
  say("deliveries, and callers of every statistic");
  const asking = askUntil(service.urls[0]!);
  const beside = await steadyLateness(bench, traffic);
  const { tookMs, countedMs } = await asking.stop();
  say(`${tookMs.length} answers`);
  return [
    {
      name: "slowest answer",
      unit: "ms",
      value: Math.max(...tookMs),
      wanted: wantedOf(options, "slowestStatistic"),
    },
    { name: "answers, p50", unit: "ms", value: percentile(tookMs, 0.5) },
    { name: "a forecast of all by day, until it is exact", unit: "ms", value: countedMs },
    { name: "lateness without them, p99", unit: "ms", value: percentile(alone, 0.99) },
    {
      name: "lateness beside them, p99",
      unit: "ms",
      value: percentile(beside, 0.99),
      wanted: wantedOf(options, "besideStatisticsP99"),
    },
    { name: "lateness beside them, the latest", unit: "ms", value: Math.max(...beside) },
  ];
}

/** Asks for everything again and again, each time for another far forecast, until it is stopped. */
function askUntil(url: string) {
  const began = performance.now();
  const tookMs: number[] = [];
  const over = new AbortController();
  let countedMs = Number.NaN;
  const get = async (path: string, query: Record<string, string> = {}): Promise<unknown> => {
    const from = performance.now();
    const answer = await getJson(url, `${path}?${new URLSearchParams(query).toString()}`);
    tookMs.push(performance.now() - from);
    return answer;
  };
  const again = async (ask: (round: number) => Promise<unknown>): Promise<void> => {
    for (let round = 0; !over.signal.aborted; round++) {
      await ask(round);
      await sleep(betweenCallsMs);
    }
  };
  const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();
  const asking = Promise.all([
    again(() => get("/v1/stats")),
    again(() => get("/v1/forecast", { bucket: "minute" })),
    again(() => get("/v1/forecast")),
    again(() => get("/v1/forecast", { maxTime: inDays(28), bucket: "hour" })),
    again(() => get("/v1/stats/activity")),
    again(() => get("/v1/dead-letters/groups")),
    again(async () => {
      const answer = await get("/v1/forecast", { maxTime: inDays(60), bucket: "day" });
      const { exact } = answer as { readonly exact: boolean };
      if (exact && Number.isNaN(countedMs)) countedMs = performance.now() - began;
    }),
  ]);
  return {
    async stop() {
      over.abort();
      await asking;
      return { tookMs, countedMs };
    },
  };
}
