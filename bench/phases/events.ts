import { Postdate } from "@postdate/client";
import { comparedFigure } from "../figures/figure.ts";
import type { Figure } from "../figures/figure.ts";
import { percentile } from "../figures/medians.ts";
import { wantedOf } from "../figures/wanted.ts";
import type { Bench, Phase } from "../phase.ts";
import { key } from "../processes/requests.ts";
import { addTargets, startService } from "../service.ts";
import type { Service } from "../service.ts";
import { inTurns } from "../turns.ts";
import { drainedPerSecond, prepareDrain } from "./drain.ts";
import { batchedPerSecond } from "./schedule-batches.ts";
import { singlesPerSecond } from "./schedule-single.ts";
import { steadyLateness } from "./steady-lateness.ts";

const endpointId = "everything";
const everyType = ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"] as const;
const steady = { perSecond: 200, seconds: 15 };

export const events: Phase = {
  name: "events",
  about: "scheduling and delivering with an endpoint on everything, and how soon a reader hears",
  boundMs: () => 900_000,
  async measure(bench) {
    const service = await startService(bench);
    const { options } = bench;
    const spike = await prepareDrain(bench, service);
    const { urls } = service;
    const ways = {
      "schedule one per call": () => singlesPerSecond(bench, urls),
      "schedule in batches": () => batchedPerSecond(bench, urls),
      [`drain ${options.spike.toLocaleString("en")}`]: () =>
        drainedPerSecond(bench, spike, options.spike),
    };
    const figures: Figure[] = [];
    for (const [name, perSecond] of Object.entries(ways)) {
      await perSecond();
      const { told, untold } = await inTurns(
        options.turns,
        {
          untold: perSecond,
          told: () => whileSubscribed(service, perSecond),
        },
        (turn, what, value) => bench.say(`turn ${turn}: ${what} ${Math.round(value)}/s`),
      );
      const wanted = wantedOf(options, "withEvents");
      const limit = { name: "the same without an endpoint", values: untold };
      figures.push(comparedFigure({ name: `${name}, told`, unit: "/s", wanted }, told, limit));
    }
    return [...figures, ...(await heardAfter(bench, service))];
  },
};

/** The endpoint is there only for this turn. */
export async function whileSubscribed<Value>(
  { urls }: Pick<Service, "urls">,
  measure: () => Promise<Value>,
): Promise<Value> {
  const postdate = new Postdate({ url: urls[0]!, key });
  await postdate.events.create({ endpointId, kind: "stream", types: [...everyType] });
  try {
    return await measure();
  } finally {
    await postdate.events.remove(endpointId);
  }
}

/**
 * From the instant of each change, by the store's clock on this machine, until a reader has it. Each node has a reader, and
 * each hears what all nodes did.
 */
async function heardAfter(bench: Bench, service: Service): Promise<Figure[]> {
  const group = "steady";
  const { urls } = service;
  const targetIds = await addTargets(bench, service, { group, count: 10 });
  const laterMs = await whileSubscribed(service, async () => {
    const leaving = new AbortController();
    const heard: number[] = [];
    const readers = urls.map((url) => readUntil(leaving.signal, url, heard));
    await steadyLateness(bench, { urls, targetIds, group, ...steady });
    // Two events a message: scheduled and delivered.
    const count = 2 * steady.perSecond * steady.seconds * readers.length;
    for (const until = Date.now() + 30_000; heard.length < count && Date.now() < until;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    leaving.abort();
    await Promise.all(readers);
    if (heard.length < count) throw new Error(`only ${heard.length} of ${count} were heard`);
    return heard;
  });
  return ([50, 99] as const).map((share) => ({
    name: `a reader hears, p${share}`,
    unit: "ms",
    value: percentile(laterMs, share / 100),
    wanted: share === 99 ? wantedOf(bench.options, "heardP99") : undefined,
  }));
}

async function readUntil(signal: AbortSignal, url: string, heard: number[]): Promise<void> {
  const stream = new Postdate({ url, key }).events.stream(endpointId, { from: "oldest", signal });
  try {
    for await (const event of stream) heard.push(Date.now() - Date.parse(event.time));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
